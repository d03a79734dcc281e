import encodeQR from 'qr'
import { type Html, html } from '../../base/html.js'

const border = 3

/** Dark on white in both themes, as scanners expect. Draws each run of dark modules as one rect. */
export function drawQr(content: string, label: string): Html {
  const rows = encodeQR(content, 'raw', { ecc: 'low', border })
  const size = rows.length
  const path = rows.map((row, y) => drawRow(row, y)).join('')
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path
    fill="#1c1b18" d="${path}"/></svg>`
}

/** A QR code as an SVG file for an image, which needs the namespace that markup in a page omits. */
export function drawQrFile(content: string, label = 'QR code'): string {
  return drawQr(content, label).markup.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
}

function drawRow(row: boolean[], y: number): string {
  let path = ''
  for (let x = 0; x < row.length; x += 1) {
    const from = x
    while (row[x]) x += 1
    if (x > from) path += `M${from} ${y}h${x - from}v1h-${x - from}z`
  }
  return path
}
