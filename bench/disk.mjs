import { statfsSync } from 'node:fs'

/** Ends the process with an explanation if the disk of a folder has less free space than needed. */
export function requireFreeSpace(folder, neededBytes, what) {
  const { bavail, bsize } = statfsSync(folder)
  const freeBytes = bavail * bsize
  if (freeBytes >= neededBytes) return
  console.error(
    `${what} needs about ${toGigabytes(neededBytes)} GB in ${folder}, where ${toGigabytes(freeBytes)} GB ` +
      'are free. Run a smaller one, or set TMPDIR to a folder on a larger disk.',
  )
  process.exit(1)
}

function toGigabytes(bytes) {
  return (bytes / 1e9).toFixed(1)
}
