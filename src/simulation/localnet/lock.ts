import * as fs from 'node:fs'
import { connect, createServer } from 'node:net'

const name = 'lock.sock'

/**
 * Takes a folder for this process, until it ends however it ends: two writers would ruin the
 * journal. A socket instead of a file with a number, which after a crash may be somebody else's.
 * The process moves into the folder, because the path of a socket may not be long.
 */
export async function lockFolder(folder: string): Promise<void> {
  process.chdir(folder)
  if (await take()) return
  if (await isHeld()) throw new Error(`another process runs the chain in ${folder}`)
  fs.rmSync(name, { force: true })
  if (!(await take())) throw new Error(`another process runs the chain in ${folder}`)
}

function take(): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(name, () => resolve(true)).unref()
  })
}

function isHeld(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(name)
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
  })
}
