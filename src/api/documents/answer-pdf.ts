import type { Document } from '../server/route.js'

/** Browsers show it; saved, it has this name. */
export function answerPdf(body: Buffer, name: string): Document {
  return {
    status: 200,
    contentType: 'application/pdf',
    body,
    headers: { 'content-disposition': `inline; filename="${name}.pdf"` },
  }
}
