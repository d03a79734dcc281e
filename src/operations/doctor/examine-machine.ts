import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '../../base/config.js'
import { openSeedFile } from '../../rails/solana/seed.js'
import { createKeySigner, openKeyFile } from '../../rails/solana/signer.js'
import { type CheckResult, remark, runCheck, well, wrong } from './finding.js'

const oldestNode = [20, 19] as const

export function examineNode(version: string): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNew = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])
  return isNew
    ? well('Node', version)
    : wrong('Node', `${version} is too old`, `Install Node ${oldestNode.join('.')} or newer.`)
}

/** Files of the home whose reader could spend money or pass for a merchant. */
const secrets = ['secret', 'demo.json', 'test-treasury.json', 'test-seed.txt']

/** Of the embedded service: what it keeps is for its owner alone. */
export function examineHome({ home, databaseUrl, solana }: Config): CheckResult[] {
  const own = databaseUrl ? [] : secrets.map((file) => path.join(home, file))
  const given = Object.values(solana).flatMap(({ keyFile, seedFile }) => [keyFile, seedFile])
  const files = [...own, ...given].filter((file) => file !== undefined && existsSync(file))
  const open = files.filter((file) => (statSync(file!).mode & 0o077) !== 0)
  if (open.length === 0) return files.length === 0 ? [] : [well('Secrets', 'their owner’s alone')]
  const mend = `chmod 600 ${open.join(' ')}`
  return [wrong('Secrets', `${open.join(', ')} can be read by others`, mend)]
}

export function examineModes({ bank, databaseUrl, solana, publicUrl }: Config): CheckResult[] {
  const { urls, seedFile } = solana.live
  const can = seedFile ? 'pays out and collects coins' : 'pays out coins'
  return [
    urls.length > 0
      ? well('Live mode', `${can}; there is no live bank yet`)
      : remark(
          'Live mode',
          'has no chain and no bank: live keys are refused whatever needs one',
          'Set SOLANA_LIVE_RPC_URLS and a signer (docs/guides/going-live.md).',
        ),
    ...(bank.test === 'none'
      ? [well('Test mode', 'no bank (BANK_TEST=none): naira payments are refused')]
      : []),
    ...(databaseUrl && !publicUrl
      ? [
          remark(
            'PUBLIC_URL',
            'is not set: the pages that payers are sent to have the address of this process',
            'Set it to the address that callers use, such as https://pay.example.com.',
          ),
        ]
      : []),
  ]
}

/** Whether the keys of the hot wallets and the seeds can be read; nothing is signed. */
export async function examineKeys({ solana }: Config): Promise<CheckResult[]> {
  const looks = Object.entries(solana).flatMap(([mode, { keyFile, secretKey, seedFile }]) => {
    const about = `Keys, ${mode}`
    const open = (variable: string, work: () => string) =>
      runCheck(about, `Check SOLANA_${mode.toUpperCase()}_${variable}.`, () => [
        well(about, work()),
      ])
    const signsFor = ({ address }: { address: string }) => `sign for ${address}`
    const readSeed = (file: string) => {
      openSeedFile(file)
      return 'the seed can be read'
    }
    return [
      ...(keyFile ? [open('KEY_FILE', () => signsFor(openKeyFile(keyFile)))] : []),
      ...(secretKey ? [open('SECRET_KEY', () => signsFor(createKeySigner(secretKey)))] : []),
      ...(seedFile ? [open('SEED_FILE', () => readSeed(seedFile))] : []),
    ]
  })
  return (await Promise.all(looks)).flat()
}
