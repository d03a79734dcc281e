/**
 * Script of the API reference, whose pages can be read without it. It sends the example of an
 * operation, shows the request as curl and Node code, and searches all pages.
 */

/** A module, so that its names are its own. */
export {}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Fields = { [name: string]: Json }
/** The same as `Step` on the server (preparations.ts). */
type Step = {
  method: string
  path: string
  query: Record<string, string>
  body?: Fields
  take: Record<string, string>
  match?: Fields
  otherwise?: Step[]
}
type Operation = {
  method: string
  path: string
  sdk?: { name: string; takes: string; gives: string }
  steps: Step[]
  example?: Fields
  pathExample: Fields
  needsKey: boolean
  isKeyed: boolean
}
type ApiRequest = { method: string; path: string; headers: Record<string, string>; body?: string }
type Answer = { status: number; text: string; json: Json | undefined; requestId: string | null }

const hour = 3_600_000
const keyName = 'manilla-test-key'
/** Seconds that the environment's test clock is ahead, if it was moved from this page. */
const aheadName = 'manilla-clock-ahead'

function find<Kind extends HTMLElement>(selector: string): Kind | null {
  return document.querySelector<Kind>(selector)
}

// ---- Values that must be new for each request

/** Values that the reader did not change are made fresh: references unique, times near now. */
function freshen(body: Json, example: Json | undefined, taken: Fields, start = ''): Json {
  if (Array.isArray(body)) {
    const same = Array.isArray(example) ? example : []
    return body.map((item, index) =>
      // A text in an array has the name of the array.
      typeof item === 'string' && item === same[index]
        ? (taken[start.slice(0, -1)] ?? item)
        : freshen(item, same[index], taken, start),
    )
  }
  if (!isObject(body)) return body
  const same = isObject(example) ? example : {}
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const fullName = start + name
      if (isObject(value) || Array.isArray(value))
        return [name, freshen(value, same[name], taken, `${fullName}.`)]
      if (value !== same[name]) return [name, value]
      return [name, taken[fullName] ?? freshValue(name, value)]
    }),
  )
}

function freshValue(name: string, value: Json): Json {
  if (typeof value !== 'string') return value
  if (/^(merchant|external)Reference$/.test(name)) return `${value}-${newUuid().slice(0, 8)}`
  return isTime(value) ? freshTime(name) : value
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(T|$)/.test(text)
}

/** The longest expiry allowed is a day. */
function freshTime(name: string): string {
  const aheadMs = Number(sessionStorage.getItem(aheadName) ?? 0) * 1_000
  const fromNowMs = /^(from|since)$/.test(name) ? -hour : name === 'expiresAt' ? 23 * hour : 0
  return new Date(Date.now() + aheadMs + fromNowMs).toISOString()
}

/** Browsers offer crypto.randomUUID on secure pages only; this also works over plain HTTP. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function isObject(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fillPath(path: string, values: Fields): string {
  return path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    values[name] ? encodeURIComponent(String(values[name])) : whole,
  )
}

// ---- Requests

async function send({ method, path, headers, body }: ApiRequest): Promise<Response> {
  return fetch(path, { method, headers, cache: 'no-store', ...(body !== undefined && { body }) })
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const json = isJson && text !== '' ? (JSON.parse(text) as Json) : undefined
  return { status: response.status, text, json, requestId: response.headers.get('x-request-id') }
}

/** Runs the calls that an example needs, and adds the fields that it uses to `taken`. */
async function runSteps(
  steps: Step[],
  key: string,
  note: (line: string) => void,
  taken: Fields,
): Promise<void> {
  for (const step of steps) await runStep(step, key, note, taken)
}

async function runStep(
  step: Step,
  key: string,
  note: (line: string) => void,
  taken: Fields,
): Promise<void> {
  const filled = Object.entries(step.query).map(([name, value]) => [name, fillPath(value, taken)])
  const query = filled.length > 0 ? `?${new URLSearchParams(filled)}` : ''
  const path = fillPath(step.path, taken) + query
  const body = step.body && freshen(step.body, step.body, taken)
  // Payments, events and request logs appear a moment after their cause.
  for (let attempt = 1; ; attempt += 1) {
    const request = toRequest({ method: step.method, path, key, body })
    const answer = await read(await send(request))
    const data = isObject(answer.json) ? (answer.json.data ?? null) : null
    if (answer.status >= 300) throw new Error(`${step.method} ${path} → ${messageOf(answer)}`)
    // Of what is created, `items` are a field.
    const isList = step.method === 'GET' && isObject(data) && Array.isArray(data.items)
    const items = isList ? (data.items as Json[]) : [data]
    const item = pick(items, step.match)
    if (isObject(item)) {
      for (const [name, field] of Object.entries(step.take)) taken[name] = item[field] ?? null
      const values = [...new Set(Object.keys(step.take).map((name) => String(taken[name])))]
      note(`${step.method} ${path} → ${answer.status} ${values.join(', ')}`)
      return
    }
    if (step.otherwise) {
      await runSteps(step.otherwise, key, note, taken)
      return
    }
    if (attempt === 40) throw new Error(`${path} has no item that the example could use.`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

function messageOf({ status, json, text }: Answer): string {
  return `${status} ${isObject(json) ? String(json.message) : text}`
}

function pick(items: Json[], match: Fields = {}): Json | undefined {
  return items.find(
    (item) =>
      isObject(item) && Object.entries(match).every(([name, value]) => item[name] === value),
  )
}

type Sent = { method: string; path: string; key?: string; body?: Json | undefined }

function toRequest({ method, path, key, body }: Sent): ApiRequest {
  return {
    method,
    path,
    headers: {
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(method === 'POST' && key && { 'Idempotency-Key': newUuid() }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body, null, 2) }),
  }
}

// ---- The form of an operation

function startForm(form: HTMLFormElement): void {
  const operation = JSON.parse(form.dataset.operation!) as Operation
  const keyField = form.querySelector<HTMLInputElement>('[name=key]')
  const key = () => keyField?.value.trim() ?? sessionStorage.getItem(keyName) ?? ''
  const show = () => showSamples(operation, sampleOf(operation, form, key()), key())
  form.addEventListener('input', () => {
    if (keyField && !isLive(key())) sessionStorage.setItem(keyName, key())
    show()
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    submit(operation, form, key())
  })
  show()
  findKey().then((found) => {
    if (keyField && keyField.value === '') keyField.value = found
    form.dataset.ready = 'true'
    show()
  })
}

/** Live keys are neither kept nor sent. */
function isLive(key: string): boolean {
  return /^[sp]k_live_/.test(key)
}

/** The key of this tab, or that of the demo merchant. */
async function findKey(): Promise<string> {
  const kept = sessionStorage.getItem(keyName)
  if (kept) return kept
  const answer = await fetch('/docs/demo-key').then((response) => response.json())
  const { key } = answer as { key: string | null }
  if (key) sessionStorage.setItem(keyName, key)
  return key ?? ''
}

function textOf(form: HTMLFormElement, name: string): string {
  const field = form.elements.namedItem(name) as HTMLInputElement | null
  return field?.value.trim() ?? ''
}

/** The values of fields whose names start alike, such as `query.`, without empty ones. */
function valuesOf(form: HTMLFormElement, start: string): Record<string, string> {
  const named = [...form.elements].flatMap((field) => {
    const { name, value, defaultValue } = field as HTMLInputElement
    if (!name.startsWith(start) || !value.trim()) return []
    const shortName = name.slice(start.length)
    const isExample = value === defaultValue && isTime(value)
    return [[shortName, isExample ? freshTime(shortName) : value.trim()]]
  })
  return Object.fromEntries(named) as Record<string, string>
}

function compose(
  operation: Operation,
  form: HTMLFormElement,
  { key, taken }: { key: string; taken: Fields },
): ApiRequest {
  const { method, example, isKeyed } = operation
  const query = new URLSearchParams(valuesOf(form, 'query.')).toString()
  const named = { ...operation.pathExample, ...taken, ...valuesOf(form, 'path.') }
  const path = fillPath(operation.path, named)
  const text = textOf(form, 'body')
  const body = text === '' ? undefined : freshen(JSON.parse(text) as Json, example, taken)
  const request = toRequest({
    method,
    path: query ? `${path}?${query}` : path,
    ...(operation.needsKey && { key }),
    body,
  })
  const own = textOf(form, 'idempotency')
  if (!isKeyed) delete request.headers['Idempotency-Key']
  else if (own) request.headers['Idempotency-Key'] = own
  const accept = textOf(form, 'accept')
  if (accept && accept !== 'application/json') request.headers.Accept = accept
  return request
}

/** Undefined while the body is not JSON. */
function sampleOf(
  operation: Operation,
  form: HTMLFormElement,
  key: string,
): ApiRequest | undefined {
  try {
    return compose(operation, form, { key, taken: {} })
  } catch {
    return undefined
  }
}

async function submit(operation: Operation, form: HTMLFormElement, key: string): Promise<void> {
  const button = form.querySelector<HTMLButtonElement>('.send')!
  const area = find('.answer')!
  area.replaceChildren()
  area.hidden = false
  delete area.dataset.status
  button.disabled = true
  try {
    if (isLive(key)) throw new Error('Use a test key here. A live key belongs on your server only.')
    // Fails if the body is not JSON, before anything is created.
    compose(operation, form, { key, taken: {} })
    const steps = make('ol')
    const note = (line: string) => {
      steps.append(make('li', line))
      if (!steps.isConnected)
        area.append(make('p', 'First, to have what the example needs:'), steps)
    }
    // A reader who names the resource needs no other.
    const isNamed = operation.path.includes('{') && !hasGaps(form, operation)
    const taken: Fields = {}
    if (!isNamed)
      await runSteps(operation.steps, key, note, taken).catch((error: Error) => note(error.message))
    const request = compose(operation, form, { key, taken })
    showSamples(operation, request, key)
    await exchange(request, area)
  } catch (error) {
    area.append(make('p', (error as Error).message))
    area.dataset.status = 'failed'
  } finally {
    button.disabled = false
  }
}

function hasGaps(form: HTMLFormElement, { path }: Operation): boolean {
  return fillPath(path, valuesOf(form, 'path.')).includes('{')
}

/** Sends the request and shows status, time and body. */
async function exchange(request: ApiRequest, area: HTMLElement): Promise<void> {
  const startedMs = performance.now()
  const response = await send(request)
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const answer = isStream ? await readStream(response) : await read(response)
  const tookMs = Math.round(performance.now() - startedMs)
  const outcome = make('p')
  outcome.className = answer.status < 300 ? 'outcome good' : 'outcome'
  outcome.append(make('b', String(answer.status)), ` ${tookMs} ms · ${answer.requestId ?? ''}`)
  const pre = make('pre')
  pre.tabIndex = 0
  const shown = answer.json === undefined ? answer.text : JSON.stringify(answer.json, null, 2)
  pre.append(make('code', shown))
  area.append(outcome, pre)
  area.dataset.status = String(answer.status)
  const data = isObject(answer.json) ? answer.json.data : undefined
  if (isObject(data) && typeof data.aheadBySeconds === 'number')
    sessionStorage.setItem(aheadName, String(data.aheadBySeconds))
}

/** The first part of a stream, which lasts for minutes. */
async function readStream(response: Response): Promise<Answer> {
  const reader = response.body!.getReader()
  const wait = new Promise<undefined>((resolve) => setTimeout(resolve, 3_000))
  const part = await Promise.race([reader.read(), wait])
  await reader.cancel()
  const text = part?.value ? new TextDecoder().decode(part.value) : 'No event within 3 seconds.'
  const requestId = response.headers.get('x-request-id')
  return { status: response.status, text, json: undefined, requestId }
}

function make(name: string, text = ''): HTMLElement {
  const element = document.createElement(name)
  element.textContent = text
  return element
}

// ---- The request as code

function showSamples(operation: Operation, request: ApiRequest | undefined, key: string): void {
  if (!request) return
  const curl = find('#curl')
  const node = find('#node')
  if (curl) curl.textContent = toCurl(request)
  if (node && operation.sdk) node.textContent = toNode(operation, request, key)
}

function toCurl({ method, path, headers, body }: ApiRequest): string {
  const quote = (text: string) => `'${text.replace(/'/g, "'\\''")}'`
  const verb = method === 'GET' ? '' : `-X ${method} `
  const lines = [
    `curl ${verb}${quote(location.origin + path)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
  ]
  return lines.join(' \\\n  ')
}

/** Calls the SDK with the values of a request. */
function toNode({ sdk, path }: Operation, request: ApiRequest, key: string): string {
  const { name, takes, gives } = sdk!
  const [sentPath = '', query] = request.path.split('?')
  const pattern = path.replace(/\{\w+\}/g, '([^/]+)')
  const [, ...parameters] = new RegExp(`^${pattern}$`).exec(sentPath) ?? []
  const input = query ? toLiteral(Object.fromEntries(new URLSearchParams(query))) : undefined
  const body = request.body === undefined ? undefined : toLiteral(JSON.parse(request.body) as Json)
  const ownKey = request.headers['Idempotency-Key']
  const words = [
    ...parameters.map((one) => toLiteral(decodeURIComponent(one))),
    ...(takes === 'nothing' ? [] : [input ?? body ?? '{}']),
    ...(ownKey ? [`{ idempotencyKey: ${toLiteral(ownKey)} }`] : []),
  ]
  const call = `manilla.${name}(${words.join(', ')})`
  const used =
    gives === 'pages'
      ? `for await (const item of ${call}) console.log(item)`
      : `console.log(await ${call})`
  return `import { Manilla } from 'manilla'

const manilla = new Manilla(${toLiteral(key || 'sk_test_…')}, { baseUrl: ${toLiteral(location.origin)} })
${used}`
}

/** JSON as JavaScript is usually written. */
function toLiteral(value: Json): string {
  return JSON.stringify(value, null, 2)
    .replace(
      /"((?:[^"\\]|\\.)*)"/g,
      (_, text: string) => `'${text.replace(/'/g, "\\'").replace(/\\"/g, '"')}'`,
    )
    .replace(/^(\s*)'([A-Za-z_]\w*)':/gm, '$1$2:')
}

// ---- Copy buttons and old links

function addCopyButton(block: HTMLElement): void {
  const button = make('button', 'Copy') as HTMLButtonElement
  button.type = 'button'
  button.className = 'copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code')!.textContent ?? '')
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1_500)
  })
  block.append(button)
}

// ---- Search

type Found = { address: string; kind: string; title: string; about: string }
type SearchResult = { found: Found[]; instead: string | null }
/** What `search-pages.ts` exports. */
type SearchModule = { openSearch: (index: Json) => (query: string) => SearchResult }

const kindNames: Record<string, string> = {
  o: 'Operation',
  g: 'Guide',
  s: 'Guide',
  e: 'Error',
  v: 'Variable',
  t: 'Event',
}

/** "/" begins a search, arrows choose, Enter opens, Escape ends. */
function startSearch(input: HTMLInputElement): void {
  const popup = make('div')
  popup.className = 'hits'
  popup.hidden = true
  const status = make('p')
  status.setAttribute('role', 'status')
  const list = make('div')
  list.id = 'hits'
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', 'Pages')
  popup.append(status, list)
  input.after(popup)
  let loading: Promise<(query: string) => SearchResult> | undefined
  let chosen = -1

  async function load() {
    const index = fetch(input.dataset.index!).then((response) => response.json() as Promise<Json>)
    const { openSearch } = (await import(input.dataset.search!)) as SearchModule
    return openSearch(await index)
  }
  function choose(at: number) {
    const options = [...list.children] as HTMLElement[]
    chosen = options.length === 0 ? -1 : (at + options.length) % options.length
    for (const [position, option] of options.entries()) {
      option.setAttribute('aria-selected', String(position === chosen))
      if (position === chosen) option.scrollIntoView({ block: 'nearest' })
    }
    if (chosen >= 0) input.setAttribute('aria-activedescendant', `hit-${chosen}`)
    else input.removeAttribute('aria-activedescendant')
  }
  function show(isOpen: boolean) {
    popup.hidden = !isOpen
    input.setAttribute('aria-expanded', String(isOpen))
  }
  async function search() {
    const query = input.value
    if (query.trim() === '') return show(false)
    loading ??= load()
    const result = await loading.catch(() => undefined)
    // The reader has typed on.
    if (query !== input.value) return
    if (!result) {
      loading = undefined
      status.textContent = 'The search could not be loaded. Try again.'
      list.replaceChildren()
      return show(true)
    }
    const { found, instead } = result(query)
    list.replaceChildren(...found.map(renderHit))
    const searched = instead === null ? '' : `Searched “${instead}” instead.`
    status.textContent = found.length === 0 ? 'Nothing found.' : searched
    show(true)
    choose(0)
  }

  input.addEventListener('input', () => void search())
  input.addEventListener('focus', () => {
    loading ??= load()
    if (input.value.trim() !== '') void search()
  })
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1)
    else if (event.key === 'ArrowUp') choose(chosen - 1)
    else if (event.key === 'Enter') (list.children[chosen] as HTMLElement | undefined)?.click()
    else if (event.key === 'Escape') {
      show(false)
      input.blur()
    } else return
    event.preventDefault()
  })
  document.addEventListener('keydown', (event) => {
    const { tagName = '' } = document.activeElement ?? {}
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(tagName)
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
    input.select()
  })
  document.addEventListener('click', ({ target }) => {
    if (!(target as Element).closest('.search') || (target as Element).closest('.hits a'))
      show(false)
  })
}

function renderHit({ address, kind, title, about }: Found, at: number): HTMLElement {
  const option = make('a') as HTMLAnchorElement
  option.id = `hit-${at}`
  option.setAttribute('role', 'option')
  option.href = address
  option.tabIndex = -1
  const detail = [kindNames[kind], about].filter(Boolean).join(' · ')
  option.append(make('b', title), ' ', make('small', detail))
  return option
}

/** `/docs/#operation/createPayment` names an operation, as in older links. */
function followHash(): void {
  const [, name] = /^#operation\/(\w+)$/.exec(location.hash) ?? []
  if (name && find(`[id="operation/${name}"]`)) location.replace(`/docs/operations/${name}`)
}

followHash()
for (const block of document.querySelectorAll<HTMLElement>('.code')) addCopyButton(block)
const searchInput = find<HTMLInputElement>('input.search')
if (searchInput) startSearch(searchInput)
const form = find<HTMLFormElement>('form[data-operation]')
if (form) startForm(form)
