import * as fs from 'node:fs'
import { connect, createServer } from 'node:net'

const socketName = 'lock.sock'

/**
 * Locks a folder until this process ends: two writers would corrupt the journal. Uses a socket, not
 * a PID file: after a crash the PID may belong to another process. Changes the working directory to
 * the folder, because socket paths must be short.
 */
export async function lockFolder(folder: string): Promise<void> {
  process.chdir(folder)
  if (await take()) return
  if (await isHeld()) throw new Error(`another process runs the localnet in ${folder}`)
  fs.rmSync(socketName, { force: true })
  if (!(await take())) throw new Error(`another process runs the localnet in ${folder}`)
}

function take(): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(socketName, () => resolve(true)).unref()
  })
}

function isHeld(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketName)
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
  })
}
