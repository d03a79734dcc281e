import Type from 'typebox'
import { drawQrFile } from '../../checkout-page/draw-qr.js'
import { closed } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'

/** A link or an address. Longer texts make codes that phones cannot read. */
const textLengthMax = 512

/** For the console, which has no code to draw one itself. */
export const drawQrCode = (_: ApiParts) =>
  route({
    method: 'GET',
    path: '/v1/qr-codes',
    access: 'user',
    permission: 'payments.see',
    operation: 'drawQrCode',
    summary: 'Draw a QR code',
    description: 'Returns the text as a QR code in SVG.',
    tag: 'Console',
    query: closed({ text: Type.String({ minLength: 1, maxLength: textLengthMax }) }),
    answers: {},
    async handle({ query: { text } }) {
      return success(200, 'QR code', { svg: drawQrFile(text) })
    },
  })
