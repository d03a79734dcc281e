import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { toJson } from '../../src/base/json-text.js'
import {
  makeSecret,
  makeSigningKey,
  readSecret,
  readSigningKey,
  signMessage,
} from '../../src/webhooks/deliveries/signing.js'
import { freshDatabase } from '../support/database.js'
import { startDeliverer } from '../support/deliverer.js'
import { emit, newEventOf } from '../support/deliveries.js'
import { fencesOf, readPage, root } from '../support/doc-pages.js'
import { insertEndpoint } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'
import { openReceiver } from '../support/receiver.js'
import { sampleOf } from '../support/samples.js'
import { until } from '../support/sessions.js'

/** The guide's snippets must accept what the service sends, and nothing else. */

type Message = { secret: string; headers: Record<string, string>; body: string }

const fences = fencesOf(readPage('docs/guides/webhooks.md'))
const snippet = (language: string) => fences.find((fence) => fence.language === language)!.text
const folder = mkdtempSync(path.join(tmpdir(), 'manilla-snippets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Turns a snippet into a program that reads messages and reports which it accepted. */
const languages: Record<string, { needs: string[]; write: () => string[] }> = {
  ts: { needs: ['node', '--version'], write: writeTypeScript },
  python: { needs: ['python3', '--version'], write: writePython },
  php: { needs: ['php', '--version'], write: writePhp },
  go: { needs: ['go', 'version'], write: writeGo },
}

describe.each(Object.entries(languages))('the %s of the guide', (language, { needs, write }) => {
  const [command = '', ...args] = needs
  const isThere = spawnSync(command, args).status === 0
  if (!isThere) console.log(`${language}: no ${command} here, so its snippet is not run`)

  test.runIf(isThere)('accepts genuine webhooks only', async () => {
    // Compiled first, so that a slow compiler does not make a message too old.
    const [program = '', ...words] = write()
    const messages = { ...(await sentMessage()), ...signedMessages() }
    const ran = spawnSync(program, words, {
      cwd: folder,
      encoding: 'utf8',
      input: JSON.stringify(Object.values(messages)),
    })
    expect([ran.status, ran.stderr]).toEqual([0, ''])
    const verdicts = JSON.parse(ran.stdout) as boolean[]
    const names = Object.keys(messages)
    expect(names.filter((_, index) => verdicts[index])).toEqual(
      names.filter((name) => name.startsWith('sent') || name.startsWith('valid')),
    )
    expect(verdicts).toHaveLength(names.length)
  })
})

/** A message on the wire. */
async function sentMessage(): Promise<Record<string, Message>> {
  const db = await freshDatabase()
  const { received, url } = await openReceiver()
  const environmentId = await insertEnvironment(db)
  const { secret } = await insertEndpoint(db, environmentId, { url })
  const type = 'virtual_account.paid'
  const data = toJson({ ...sampleOf(type), accountName: 'Ṣadé Ọlá “₦”' })
  await emit(db, new Date(), [newEventOf(environmentId, { type, data })])
  const worker = startDeliverer(db)
  await until(() => received.length === 1)
  await worker.stop()
  const { headers, body } = received[0]!
  return { sent: { secret: secret.reveal(), headers, body } }
}

/** Signed by the service's function with a chosen time and secret. */
function signedMessages(): Record<string, Message> {
  const [secret, other] = [makeSecret().reveal(), makeSecret().reveal()]
  const privateKey = readSigningKey(makeSigningKey().signingKey.reveal())
  const sign = (ageSeconds: number, secrets = [secret]): Message => {
    const timestamp = Math.floor(Date.now() / 1_000) - ageSeconds
    const body = JSON.stringify({ id: 'evt_1', type: 'payment.held', data: { amount: 5 } })
    const keys = { secrets: secrets.map(readSecret), privateKey }
    const signature = signMessage(keys, { id: 'evt_1', timestamp, body })
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': `${timestamp}`,
      'webhook-signature': signature,
    }
    return { secret, headers, body }
  }
  const good = sign(0)
  const changed = (more: Record<string, string>) => ({
    ...good,
    headers: { ...good.headers, ...more },
  })
  return {
    valid: good,
    'valid after four minutes': sign(240),
    'valid during a rotation': sign(0, [other, secret]),
    'changed body': { ...good, body: good.body.replace('5', '6') },
    'more after the body': { ...good, body: `${good.body} ` },
    'old timestamp': sign(305),
    'timestamp of the future': sign(-3_600),
    'timestamp put forward': {
      ...sign(3_600),
      headers: { ...sign(3_600).headers, 'webhook-timestamp': good.headers['webhook-timestamp']! },
    },
    'no timestamp': changed({ 'webhook-timestamp': '' }),
    'timestamp that is no number': changed({ 'webhook-timestamp': 'now' }),
    'another id': changed({ 'webhook-id': 'evt_2' }),
    'another secret': { ...good, secret: other },
    'only the other signature': sign(0, []),
    'no signature': changed({ 'webhook-signature': '' }),
    'an empty signature': changed({ 'webhook-signature': 'v1,' }),
  }
}

function writeTypeScript(): string[] {
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(
    path.join(folder, 'verify.ts'),
    `${snippet('ts')}
import { readFileSync } from 'node:fs'
const messages = JSON.parse(readFileSync(0, 'utf8')) as { secret: string; headers: Record<string, string>; body: string }[]
const verdicts = messages.map(({ secret, headers, body }) => {
  try {
    return verifyWebhook(secret, headers, body) !== undefined
  } catch {
    return false
  }
})
process.stdout.write(JSON.stringify(verdicts))
`,
  )
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc')
  const types = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node']
  const flags = ['--strict', '--module', 'nodenext', '--target', 'es2022', ...types]
  const built = spawnSync(process.execPath, [compiler, ...flags, 'verify.ts'], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect([built.status, built.stdout]).toEqual([0, ''])
  return [process.execPath, 'verify.js']
}

function writePython(): string[] {
  writeFileSync(
    path.join(folder, 'verify.py'),
    `${snippet('python')}
import sys
def is_taken(message):
    try:
        return verify_webhook(message["secret"], message["headers"], message["body"].encode()) is not None
    except (ValueError, KeyError):
        return False
print(json.dumps([is_taken(message) for message in json.load(sys.stdin)]))
`,
  )
  return ['python3', 'verify.py']
}

function writePhp(): string[] {
  writeFileSync(
    path.join(folder, 'verify.php'),
    `${snippet('php')}
echo json_encode(array_map(function ($message) {
    try {
        return verify_webhook($message['secret'], $message['headers'], $message['body']) !== [];
    } catch (RuntimeException | JsonException) {
        return false;
    }
}, json_decode(stream_get_contents(STDIN), true)));
`,
  )
  return ['php', 'verify.php']
}

function writeGo(): string[] {
  mkdirSync(path.join(folder, 'webhook'))
  writeFileSync(path.join(folder, 'webhook/verify.go'), snippet('go'))
  writeFileSync(path.join(folder, 'go.mod'), 'module snippet\n\ngo 1.19\n')
  writeFileSync(
    path.join(folder, 'main.go'),
    `package main

import (
	"encoding/json"
	"net/http"
	"os"
	"snippet/webhook"
)

func main() {
	var messages []struct {
		Secret  string
		Headers map[string]string
		Body    string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&messages); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, message := range messages {
		headers := http.Header{}
		for name, value := range message.Headers {
			headers.Set(name, value)
		}
		verdicts = append(verdicts, webhook.Verify(message.Secret, headers, []byte(message.Body)) == nil)
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
`,
  )
  const [go = ''] = languages.go!.needs
  const built = spawnSync(go, ['build', '-o', 'verify', '.'], { cwd: folder, encoding: 'utf8' })
  expect([built.status, built.stderr]).toEqual([0, ''])
  return [path.join(folder, 'verify')]
}
