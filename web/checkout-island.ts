/**
 * What a script adds to the checkout page, which is complete without it: a clock, buttons that
 * copy, and news. The server writes all words and every state; this only asks for the new main
 * part of the page and puts it in the place of the old.
 */

/** Naira are numbers, coins are texts. */
type Places = Record<'amountHeld' | 'amountReturning' | 'amountReturned', number | string>
type News = Record<'status' | 'serverTime' | 'expiresAt', string> & {
  amountReceived: number
  cryptoAmounts?: { amountReceived: string }
  received: Places[]
}

const announcer = find(document, '#announcer')
let main = find(document, '#checkout')
let stream: EventSource | undefined
let timer = 0
/** When the next look is due. */
let dueMs = Number.POSITIVE_INFINITY
let pollMs = 0
/** Until then it asks as often as it may, while there is no stream. */
let eagerUntilMs = 0
let isAsking = false
let isAskedAgain = false
let swapping: Promise<void> | undefined
let isSwapWanted = false
/** Of the swap under way. */
let reading: AbortController | undefined
/** Somebody has followed a link to what is shown next. */
let wantsFocus = false
/** Of the server, when this page's own count of milliseconds began. */
let serverStart = 0
let warned = Number.POSITIVE_INFINITY

function find(from: ParentNode, selector: string): HTMLElement {
  return from.querySelector<HTMLElement>(selector)!
}

function say(text: string): void {
  announcer.textContent = ''
  // A reader hears a change, so there has to be one, also when the same is said again.
  setTimeout(() => {
    announcer.textContent = text
  }, 50)
}

/** Throws when there is no good answer in time. Old browsers have no signal that times out. */
async function read(url: string, controller = new AbortController()): Promise<string> {
  const timeout = setTimeout(() => controller.abort(), 10_000)
  try {
    const response = await fetch(url, { cache: 'no-store', signal: controller.signal })
    if (!response.ok) throw new Error(String(response.status))
    return await response.text()
  } finally {
    clearTimeout(timeout)
  }
}

/** Asks what is new; at most one question at a time. */
async function look(): Promise<void> {
  clearTimeout(timer)
  if (isAsking) {
    isAskedAgain = true
    return
  }
  isAsking = true
  let isAnswered = true
  try {
    await ask()
  } catch {
    // The network is away, or too many ask: the next look is due soon, and then more seldom.
    isAnswered = false
  }
  isAsking = false
  if (isAskedAgain) {
    isAskedAgain = false
    await look()
  } else plan(isAnswered)
}

async function ask(): Promise<void> {
  const { watch } = main.dataset
  if (!watch) return
  const news = (JSON.parse(await read(watch)) as { data: News }).data
  setServerTime(news.serverTime)
  if (seenOf(news) !== main.dataset.seen) await swap()
}

/** The server writes the same into the page. */
function seenOf({ status, serverTime, expiresAt, amountReceived, ...news }: News): string {
  const { received, cryptoAmounts } = news
  const coins = cryptoAmounts ? [cryptoAmounts.amountReceived] : []
  const places = received.map((one) => [one.amountHeld, one.amountReturning, one.amountReturned])
  const isOver = status === 'pending' && serverTime >= expiresAt
  return [isOver ? 'expired' : status, amountReceived, ...coins, ...places].join()
}

/**
 * Shows the main part as it is now. One at a time, so that an old answer never takes the place of a
 * newer one; who asks meanwhile gets another after it.
 */
function swap(): Promise<void> {
  isSwapWanted = true
  swapping ??= swapAll().finally(() => {
    swapping = undefined
  })
  return swapping
}

async function swapAll(): Promise<void> {
  while (isSwapWanted) {
    isSwapWanted = false
    const { search } = location
    const fresh = await readMain(search).catch((error) => {
      if (!isSwapWanted) throw error
    })
    // Who has followed a link meanwhile no longer wants this one.
    if (fresh && search === location.search) show(fresh)
  }
}

async function readMain(search: string): Promise<HTMLElement> {
  const query = new URLSearchParams(search)
  query.set('part', 'main')
  reading = new AbortController()
  const text = await read(`${location.pathname}?${query}`, reading)
  const parsed = new DOMParser().parseFromString(text, 'text/html')
  return document.adoptNode(find(parsed, '#checkout'))
}

/** Says it aloud when it is news; a heading that gets the focus is heard without that. */
function show(fresh: HTMLElement): void {
  const isFocused = wantsFocus || main.contains(document.activeElement)
  const { seen, state } = main.dataset
  wantsFocus = false
  main.replaceWith(fresh)
  main = fresh
  const { title = '', heading = '', says = '' } = main.dataset
  const isOther = main.dataset.seen !== seen || main.dataset.state !== state
  if (isOther) main.classList.add('fresh')
  document.title = title
  dress()
  if (isOther) scrollTo(0, 0)
  if (isFocused) find(main, 'h1').focus({ preventScroll: true })
  if (isOther) say(isFocused ? says : `${heading} ${says}`.trim())
}

/** Shows what works only with a script. */
function dress(): void {
  for (const hidden of main.querySelectorAll<HTMLElement>('.copy,[data-live],.bar,[role=timer]'))
    hidden.hidden = false
  const clock = main.querySelector<HTMLElement>('[data-now]')
  if (clock) setServerTime(clock.dataset.now!)
  tick()
  follow()
}

function setServerTime(time: string): void {
  serverStart = Date.parse(time) - performance.now()
}

/** The clock of the payer's device may be wrong, so only the server's counts. */
function tick(): void {
  const clock = main.querySelector<HTMLElement>('[data-deadline]')
  if (!clock) return
  const { deadline = '', start = '', five = '', one = '' } = clock.dataset
  const leftMs = Math.max(Date.parse(deadline) - serverStart - performance.now(), 0)
  const seconds = Math.ceil(leftMs / 1_000)
  const share = leftMs / (Date.parse(deadline) - Date.parse(start))
  find(clock, '[data-left]').textContent = toClock(seconds)
  find(clock, '.bar i').style.transform = `scaleX(${Math.min(share, 1)})`
  clock.classList.toggle('soon', seconds <= 300)
  const warning = seconds <= 60 ? 60 : seconds <= 300 ? 300 : Number.POSITIVE_INFINITY
  if (warning < warned && seconds > 0) say(warning === 60 ? one : five)
  warned = warning
  if (seconds === 0 && !swapping) swap().catch(() => {}) // the next tick asks again
}

function toClock(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  const rest = `${two((seconds % 3_600) / 60)}:${two(seconds % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

/** Listens while there may be news and somebody looks; a page in the background asks on return. */
function follow(): void {
  const { watch } = main.dataset
  if (!watch || document.hidden) {
    stream?.close()
    stream = undefined
    clearTimeout(timer)
    return
  }
  if (stream && stream.readyState !== EventSource.CLOSED) return
  stream = new EventSource(`${watch}/stream`)
  stream.addEventListener('open', hear)
  stream.addEventListener('changed', hear)
  stream.addEventListener('error', miss)
  hope()
  plan()
}

function hear(): void {
  hope()
  void look()
}

/** A stream that is cut, or cannot come back, must not put off a look that is due sooner. */
function miss(): void {
  const soonMs = Math.max(pollMs, Number(main.dataset.poll))
  if (!isAsking && dueMs > performance.now() + soonMs) plan()
}

/** News are likely from now on for a while. */
function hope(): void {
  pollMs = 0
  eagerUntilMs = performance.now() + Number(main.dataset.eager)
}

/**
 * With a stream, now and then. Without one, often for as long as somebody is likely to wait, and
 * then ever more seldom.
 */
function plan(isAnswered = true): void {
  clearTimeout(timer)
  const { watch, poll, longestPoll, reassure } = main.dataset
  if (!watch || document.hidden) return
  const isHeard = isAnswered && stream?.readyState === EventSource.OPEN
  if (isHeard) hope()
  else if (isAnswered && performance.now() < eagerUntilMs) pollMs = 0
  else pollMs *= isAnswered ? 1.1 : 1.5
  pollMs = Math.min(Math.max(pollMs, Number(poll)), Number(longestPoll))
  const waitMs = isHeard ? Number(reassure) : pollMs
  dueMs = performance.now() + waitMs
  timer = setTimeout(() => void look(), waitMs)
}

async function copy(button: HTMLElement): Promise<void> {
  const { copy: text = '', done = '', said = '' } = button.dataset
  const isCopied = await writeClipboard(text)
  if (!isCopied) return
  const words = button.textContent
  if (words !== done) {
    button.textContent = done
    button.classList.add('done')
    setTimeout(() => {
      button.textContent = words
      button.classList.remove('done')
    }, 2_000)
  }
  say(said)
}

/** Pages that are not secure, and frames that may not, have only the old way. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const field = document.createElement('textarea')
    field.value = text
    field.className = 'quiet'
    document.body.append(field)
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    return isCopied
  }
}

/** In test mode: pays, and the news come as they would from a bank or a chain. */
async function pay(form: HTMLElement): Promise<void> {
  const button = find(form, 'button') as HTMLButtonElement
  const { simulate = '', method, then } = form.dataset
  button.disabled = true
  const wish = method && {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method }),
  }
  const isSent = await fetch(simulate, { method: 'POST', ...wish }).then(
    ({ ok }) => ok,
    () => false,
  )
  button.disabled = false
  const failed = find(form, '[data-failed]')
  failed.hidden = isSent
  if (!isSent) say(failed.textContent!)
  // What was sent is not there yet: the page says that it waits for it.
  if (then && isSent) await go(then).catch(() => {})
  hear()
}

/** Shows what a link of the page leads to. */
function go(search: string): Promise<void> {
  history.replaceState(null, '', search || location.pathname)
  wantsFocus = true
  isSwapWanted = true
  // What is under way is not what somebody waits for any more.
  reading?.abort()
  return swap()
}

document.addEventListener('click', (event) => {
  const target = event.target as HTMLElement
  const button = target.closest<HTMLElement>('[data-copy]')
  if (button) void copy(button)
  const link = target.closest<HTMLAnchorElement>('a[data-swap]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  go(link.search).catch(() => location.assign(link.href))
})

document.addEventListener('submit', (event) => {
  const form = event.target as HTMLElement
  if (!form.dataset.simulate) return
  event.preventDefault()
  void pay(form)
})

document.addEventListener('visibilitychange', () => {
  follow()
  if (!document.hidden) hear()
})
addEventListener('online', hear)
setInterval(tick, 1_000)
dress()
