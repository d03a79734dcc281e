import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import * as crypto from 'node:crypto'
import { createInterface } from 'node:readline'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import { bytesOf } from './addresses.js'
import type { Signer } from './signer.js'

export type SignerCommand = { command: string; args: string[]; address: string; logger: Logger }

type Waiting = {
  message: Uint8Array
  resolve: (signature: Uint8Array) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}

/** Node wants a public key in this envelope. */
const publicEnvelope = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * A program that keeps the key: it reads messages and answers signatures, one a line, in base64
 * and in order. When it ends, is late or answers nonsense, all that wait are refused and the next
 * message starts it anew. Every signature is checked: one for another message would be useless.
 */
export class ProcessSigner implements Signer {
  readonly address: string
  readonly #options: SignerCommand
  readonly #key: crypto.KeyObject
  #child: ChildProcessWithoutNullStreams | undefined
  #waiting: Waiting[] = []

  constructor(options: SignerCommand) {
    this.address = options.address
    this.#options = options
    this.#key = crypto.createPublicKey({
      key: Buffer.concat([publicEnvelope, bytesOf(options.address)]),
      format: 'der',
      type: 'spki',
    })
  }

  async sign(messages: Uint8Array[]): Promise<Uint8Array[]> {
    if (messages.length === 0) return []
    if (this.#waiting.length + messages.length > limits.solana.signerWaiting)
      throw new Error('too many messages wait for the signer process')
    this.#child ??= this.#start()
    const signatures = messages.map((message) => this.#expect(message))
    const lines = messages.map((message) => `${Buffer.from(message).toString('base64')}\n`)
    this.#child.stdin.write(lines.join(''))
    return Promise.all(signatures)
  }

  async stop(): Promise<void> {
    this.#end('was stopped')
  }

  #start(): ChildProcessWithoutNullStreams {
    const { command, args } = this.#options
    const child = spawn(command, args, { stdio: 'pipe' })
    const fail = (why: string) => child === this.#child && this.#fail(why)
    child.once('error', (error) => fail(`cannot be run: ${error.message}`))
    child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`))
    child.stdin.on('error', () => fail('does not listen'))
    // What it says there is for its own log, but an unread pipe would stop it one day.
    child.stderr.resume()
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (child === this.#child) this.#receive(line)
    })
    return child
  }

  #expect(message: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail('does not answer'), limits.solana.signerMs)
      this.#waiting.push({ message, resolve, reject, timer })
    })
  }

  #receive(line: string): void {
    const [next] = this.#waiting
    const signature = Buffer.from(line.slice(0, limits.solana.signerLineLength), 'base64')
    if (!next || !crypto.verify(null, next.message, this.#key, signature)) {
      this.#fail('answers something else than the signature that was asked for')
      return
    }
    this.#waiting.shift()
    clearTimeout(next.timer)
    next.resolve(signature)
  }

  #fail(why: string): void {
    this.#options.logger.error({ why }, 'the signer process failed')
    this.#end(why)
  }

  #end(why: string): void {
    const left = this.#waiting
    this.#waiting = []
    this.#child?.kill('SIGKILL')
    this.#child = undefined
    for (const { reject, timer } of left) {
      clearTimeout(timer)
      reject(new Error(`the signer process ${why}`))
    }
  }
}
