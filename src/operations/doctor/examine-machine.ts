import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '../../base/config.js'
import { openSeedFile } from '../../rails/solana/keys/seed.js'
import { createKeySigner, openKeyFile } from '../../rails/solana/keys/signer.js'
import { type CheckResult, failure, ok, runCheck, warning } from './check-result.js'

const versionMin = [20, 19] as const

export function examineNodeVersion(version: string): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isSupported = major > versionMin[0] || (major === versionMin[0] && minor >= versionMin[1])
  return isSupported
    ? ok('Node.js', version)
    : failure(
        'Node.js',
        `${version} is too old`,
        `Install Node.js ${versionMin.join('.')} or newer.`,
      )
}

/** Files in the home folder that let a reader spend money or impersonate a merchant. */
const secretFiles = ['secret', 'demo.json', 'test-treasury.json', 'test-seed.txt']

export function examineHome({ home, databaseUrl, solana }: Config): CheckResult[] {
  const embedded = databaseUrl ? [] : secretFiles.map((file) => path.join(home, file))
  const configured = Object.values(solana).flatMap(({ keyFile, seedFile }) => [keyFile, seedFile])
  const files = [...embedded, ...configured].filter(
    (file) => file !== undefined && existsSync(file),
  )
  const exposed = files.filter((file) => (statSync(file!).mode & 0o077) !== 0)
  if (files.length === 0) return []
  if (exposed.length === 0) return [ok('Secret files', 'readable only by their owner')]
  const fix = `chmod 600 ${exposed.join(' ')}`
  return [failure('Secret files', `${exposed.join(', ')} can be read by other users`, fix)]
}

export function examineModes({ bank, databaseUrl, solana, publicUrl }: Config): CheckResult[] {
  const { urls, seedFile } = solana.live
  const features = seedFile ? 'crypto payouts and deposits' : 'crypto payouts'
  const { collect, payout } = bank.live
  const banks = [
    collect === 'none' ? 'no naira collections' : `collects naira with ${collect}`,
    payout === 'none' ? 'no naira payouts' : `pays naira out with ${payout}`,
  ]
  const hasLiveBank = collect !== 'none' || payout !== 'none'
  return [
    urls.length > 0 || hasLiveBank
      ? ok('Live mode', [...(urls.length > 0 ? [features] : []), ...banks].join('; '))
      : warning(
          'Live mode',
          'no bank or chain configured, so live payments will fail',
          'Set BANK_LIVE, or SOLANA_LIVE_RPC_URLS and a signer (docs/guides/going-live.md).',
        ),
    ...(bank.test.collect === 'none'
      ? [ok('Test mode', 'no bank (BANK_TEST=none): naira payments are refused')]
      : []),
    ...(databaseUrl && !publicUrl
      ? [
          warning(
            'PUBLIC_URL',
            'not set: checkout links will contain the local address of this process',
            'Set it to the public address of the API, such as https://pay.example.com.',
          ),
        ]
      : []),
  ]
}

/** Whether hot wallet keys and seeds can be read. Signs nothing. */
export async function examineKeys({ solana }: Config): Promise<CheckResult[]> {
  const checks = Object.entries(solana).flatMap(([mode, { keyFile, secretKey, seedFile }]) => {
    const check = `Keys (${mode})`
    const open = (variable: string, work: () => string) =>
      runCheck(check, `Check SOLANA_${mode.toUpperCase()}_${variable}.`, () => [ok(check, work())])
    const describeKey = ({ address }: { address: string }) => `hot wallet ${address}`
    const readSeed = (file: string) => {
      openSeedFile(file)
      return 'deposit wallet seed is readable'
    }
    return [
      ...(keyFile ? [open('KEY_FILE', () => describeKey(openKeyFile(keyFile)))] : []),
      ...(secretKey ? [open('SECRET_KEY', () => describeKey(createKeySigner(secretKey)))] : []),
      ...(seedFile ? [open('SEED_FILE', () => readSeed(seedFile))] : []),
    ]
  })
  return (await Promise.all(checks)).flat()
}
