/** What `npm run emulator` prints as its last line once it runs. */
export const isReady = (output) => output.includes('Notices go')

/** The variables that an emulator printed for Manilla, and its control commands. */
export function readEmulator(output) {
  const variables = Object.fromEntries(
    [...output.matchAll(/export (\w+)='?([^'\n]*)'?/g)].map(([, name, value]) => [name, value]),
  )
  const controlUrl = /(http:\/\/127\.0\.0\.1:\d+)\/pay/.exec(output)[1]
  return {
    variables,
    async control(command, body = {}) {
      const response = await fetch(`${controlUrl}/${command}`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      return JSON.parse(await response.text())
    },
  }
}

/** Calls the API with one key, each time with another Idempotency-Key. */
export function createCaller(url, key) {
  let calls = 0
  return async (method, route, body) => {
    calls += 1
    const response = await fetch(`${url}${route}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(method === 'POST' && { 'idempotency-key': `${key.slice(0, 8)}-${calls}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
}

/** The available naira, in kobo. */
export async function readAvailable(call) {
  const { body } = await call('GET', '/v1/balances')
  const { items = body.data } = body.data
  return items.find(({ asset, currency }) => (asset ?? currency) === 'NGN').available
}
