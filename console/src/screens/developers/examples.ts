/** One call of the API, as every language writes it. */
export type Example = {
  method: 'GET' | 'POST'
  path: string
  body?: Record<string, unknown>
}

export type Language = 'curl' | 'node' | 'python'

type Caller = { key: string; origin: string; idempotencyKey: string }

export function writeExample(language: Language, example: Example, caller: Caller): string {
  return writers[language](example, caller)
}

const writers: Record<Language, (example: Example, caller: Caller) => string> = {
  curl({ method, path, body }, { key, origin, idempotencyKey }) {
    const lines = [
      `curl ${method === 'GET' ? '' : `-X ${method} `}${origin}${path}`,
      `  -H 'Authorization: Bearer ${key}'`,
      ...(body
        ? [
            `  -H 'Idempotency-Key: ${idempotencyKey}'`,
            "  -H 'Content-Type: application/json'",
            `  -d '${JSON.stringify(body)}'`,
          ]
        : []),
    ]
    return lines.join(' \\\n')
  },
  node({ method, path, body }, { key, origin, idempotencyKey }) {
    const options = [
      ...(method === 'GET' ? [] : [`  method: '${method}',`]),
      '  headers: {',
      `    authorization: 'Bearer ${key}',`,
      ...(body
        ? [`    'idempotency-key': '${idempotencyKey}',`, "    'content-type': 'application/json',"]
        : []),
      '  },',
      ...(body ? [`  body: JSON.stringify(${indent(toLiteral(body))}),`] : []),
    ]
    return [
      `const response = await fetch('${origin}${path}', {`,
      ...options,
      '})',
      'const { data } = await response.json()',
      'console.log(data)',
    ].join('\n')
  },
  python({ method, path, body }, { key, origin, idempotencyKey }) {
    const headers = [
      `        "Authorization": "Bearer ${key}",`,
      ...(body ? [`        "Idempotency-Key": "${idempotencyKey}",`] : []),
    ]
    return [
      'import requests',
      '',
      `response = requests.${method.toLowerCase()}(`,
      `    "${origin}${path}",`,
      '    headers={',
      ...headers,
      '    },',
      ...(body ? [`    json=${indent(JSON.stringify(body, null, 4), 4)},`] : []),
      ')',
      'print(response.json()["data"])',
    ].join('\n')
  },
}

/** JavaScript without needless quotes. */
function toLiteral(value: Record<string, unknown>): string {
  return JSON.stringify(value, null, 2)
    .replace(/"(\w+)":/g, '$1:')
    .replaceAll('"', "'")
}

const indent = (text: string, by = 2) => text.replaceAll('\n', `\n${' '.repeat(by)}`)
