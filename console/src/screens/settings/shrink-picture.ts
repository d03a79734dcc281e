/** The page shows a logo at 44 pixels; this is sharp on every screen and small on every network. */
const sideMax = 176

/** A small square-bounded PNG of any picture that the browser can read. Null if it cannot. */
export async function shrinkPicture(file: Blob): Promise<Blob | null> {
  const image = await createImageBitmap(file).catch(() => null)
  if (!image) return null
  const scale = Math.min(1, sideMax / Math.max(image.width, image.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(16, Math.round(image.width * scale))
  canvas.height = Math.max(16, Math.round(image.height * scale))
  const context = canvas.getContext('2d')
  if (!context) return null
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
}
