import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import * as crypto from 'node:crypto'
import { createInterface } from 'node:readline'
import { limits } from '../../../base/limits.js'
import type { Logger } from '../../../base/log.js'
import { bytesOf } from '../addresses.js'
import type { Signer } from './signer.js'

type SignerCommand = { command: string; args: string[]; address: string; logger: Logger }

type PendingSignature = {
  message: Uint8Array
  resolve: (signature: Uint8Array) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}

/** DER prefix of an Ed25519 public key. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Signs through an external program that holds the key. It reads messages and writes signatures in
 * the same order, one base64 line each. When it exits, times out or writes an invalid signature,
 * all pending messages are rejected and the next message restarts it.
 */
export class ProcessSigner implements Signer {
  readonly address: string
  readonly #options: SignerCommand
  readonly #key: crypto.KeyObject
  #child: ChildProcessWithoutNullStreams | undefined
  #pending: PendingSignature[] = []

  constructor(options: SignerCommand) {
    this.address = options.address
    this.#options = options
    this.#key = crypto.createPublicKey({
      key: Buffer.concat([spkiPrefix, bytesOf(options.address)]),
      format: 'der',
      type: 'spki',
    })
  }

  async sign(messages: Uint8Array[]): Promise<Uint8Array[]> {
    if (messages.length === 0) return []
    if (this.#pending.length + messages.length > limits.solana.signerQueueMax)
      throw new Error('too many messages are waiting for the signer process')
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
    child.once('error', (error) => fail(`could not be started: ${error.message}`))
    child.once('exit', (code, signal) => fail(`exited with ${code ?? signal}`))
    child.stdin.on('error', () => fail('closed its input'))
    // Drained: a full pipe would block the process.
    child.stderr.resume()
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (child === this.#child) this.#receive(line)
    })
    return child
  }

  #expect(message: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail('timed out'), limits.solana.signerTimeoutMs)
      this.#pending.push({ message, resolve, reject, timer })
    })
  }

  #receive(line: string): void {
    const [next] = this.#pending
    const signature = Buffer.from(line.slice(0, limits.solana.signerLineLengthMax), 'base64')
    if (!next || !crypto.verify(null, next.message, this.#key, signature)) {
      this.#fail('returned an invalid signature')
      return
    }
    this.#pending.shift()
    clearTimeout(next.timer)
    next.resolve(signature)
  }

  #fail(why: string): void {
    this.#options.logger.error({ why }, 'the signer process failed')
    this.#end(why)
  }

  #end(why: string): void {
    const rejected = this.#pending
    this.#pending = []
    this.#child?.kill('SIGKILL')
    this.#child = undefined
    for (const { reject, timer } of rejected) {
      clearTimeout(timer)
      reject(new Error(`the signer process ${why}`))
    }
  }
}
