import { drawQr } from '../checkout-page/draw-qr.js'

/** A QR code as an SVG file, which the console shows in an image. */
export function drawQrFile(content: string): string {
  return drawQr(content, 'QR code').markup.replace(
    '<svg ',
    '<svg xmlns="http://www.w3.org/2000/svg" ',
  )
}
