/**
 * Script of the checkout page, which works without it. It adds a countdown, copy and print buttons,
 * live updates and the way back to the shop. The server renders every text and state: the script only fetches the main part of the
 * page again and replaces it.
 */

/** Naira are numbers, coins are texts. */
type Amounts = Record<'amountHeld' | 'amountReturning' | 'amountReturned', number | string>
/** The fields of the public session that the script uses. */
type PublicSessionJson = Record<'status' | 'serverTime' | 'expiresAt', string> & {
  amountReceived: number
  cryptoAmounts?: { amountReceived: string }
  received: Amounts[]
}

const announcer = find(document, '#announcer')
let main = find(document, '#checkout')
let stream: EventSource | undefined
let pollTimer = 0
let nextPollAtMs = Number.POSITIVE_INFINITY
/** Interval between polls without a stream; grows between the two limits. */
let intervalMs = 0
/** Until then, polls at the shortest interval while there is no stream. */
let eagerUntilMs = 0
let isPolling = false
let isPollRequested = false
let swapping: Promise<void> | undefined
let isSwapRequested = false
/** Aborts the request of the current swap. */
let swapRequest: AbortController | undefined
/** The payer followed a link, so the heading of the next state gets the focus. */
let wantsFocus = false
/** Server time when `performance.now()` was 0. */
let serverStartMs = 0
/** Seconds until the page returns to the shop; undefined until the session is paid. */
let returnSeconds: number | undefined
/**
 * The payer stopped the return, or it has happened. Kept in the browser's history: the page must not
 * return again when the payer comes back to it.
 */
let isStaying = (history.state as { isStaying?: boolean } | null)?.isStaying === true
/** Leads to the page that shows this one in the dialog of inline.js. */
let dialogPort: MessagePort | undefined
/** The smallest countdown warning announced so far, in seconds. */
let warnedAtSeconds = Number.POSITIVE_INFINITY

function find(from: ParentNode, selector: string): HTMLElement {
  return from.querySelector<HTMLElement>(selector)!
}

function announce(text: string): void {
  announcer.textContent = ''
  // Screen readers announce changes only, so clear the text first in case it is repeated.
  setTimeout(() => {
    announcer.textContent = text
  }, 50)
}

/** Throws unless a good response arrives in time. Older browsers have no AbortSignal.timeout. */
async function fetchText(url: string, controller = new AbortController()): Promise<string> {
  const timeout = setTimeout(() => controller.abort(), 10_000)
  try {
    const response = await fetch(url, { cache: 'no-store', signal: controller.signal })
    if (!response.ok) throw new Error(String(response.status))
    return await response.text()
  } finally {
    clearTimeout(timeout)
  }
}

/** Checks for changes, one request at a time. */
async function poll(): Promise<void> {
  clearTimeout(pollTimer)
  if (isPolling) {
    isPollRequested = true
    return
  }
  isPolling = true
  let isAnswered = true
  try {
    await update()
  } catch {
    // Offline or rate limited: schedulePoll backs off.
    isAnswered = false
  }
  isPolling = false
  if (isPollRequested) {
    isPollRequested = false
    await poll()
  } else schedulePoll(isAnswered)
}

async function update(): Promise<void> {
  const { sessionUrl } = main.dataset
  if (!sessionUrl) return
  const session = (JSON.parse(await fetchText(sessionUrl)) as { data: PublicSessionJson }).data
  setServerTime(session.serverTime)
  if (fingerprintOf(session) !== main.dataset.fingerprint) await swap()
}

/** The same as `fingerprintOf` on the server (view.ts). */
function fingerprintOf(session: PublicSessionJson): string {
  const { status, serverTime, expiresAt, amountReceived, cryptoAmounts, received } = session
  const coins = cryptoAmounts ? [cryptoAmounts.amountReceived] : []
  const amounts = received.map((payment) => [
    payment.amountHeld,
    payment.amountReturning,
    payment.amountReturned,
  ])
  const isOver = status === 'pending' && serverTime >= expiresAt
  return [isOver ? 'expired' : status, amountReceived, ...coins, ...amounts].join()
}

/**
 * Replaces the main part with its current state. One swap at a time, so that an older response
 * never replaces a newer one; a call during a swap starts another one after it.
 */
function swap(): Promise<void> {
  isSwapRequested = true
  swapping ??= swapUntilCurrent().finally(() => {
    swapping = undefined
  })
  return swapping
}

async function swapUntilCurrent(): Promise<void> {
  while (isSwapRequested) {
    isSwapRequested = false
    const { search } = location
    const fresh = await fetchMain(search).catch((error) => {
      // `go` aborts the request and asks for another swap: the loop fetches again.
      if (!isSwapRequested) throw error
    })
    // Skip the response if the payer has followed another link meanwhile.
    if (fresh && search === location.search) show(fresh)
  }
}

async function fetchMain(search: string): Promise<HTMLElement> {
  const query = new URLSearchParams(search)
  query.set('part', 'main')
  swapRequest = new AbortController()
  const text = await fetchText(`${location.pathname}?${query}`, swapRequest)
  const parsed = new DOMParser().parseFromString(text, 'text/html')
  return document.adoptNode(find(parsed, '#checkout'))
}

/** Announces changes. Leaves out the heading if it gets the focus, which reads it anyway. */
function show(fresh: HTMLElement): void {
  const isFocused = wantsFocus || main.contains(document.activeElement)
  const before = main.dataset
  wantsFocus = false
  keepMethod(fresh)
  main.replaceWith(fresh)
  main = fresh
  const { title = '', heading = '', announcement = '', fingerprint, state } = main.dataset
  const isChanged = fingerprint !== before.fingerprint || state !== before.state
  if (isChanged) main.classList.add('fresh')
  document.title = title
  enhance()
  if (isChanged) scrollTo(0, 0)
  if (isFocused) find(main, 'h1').focus({ preventScroll: true })
  if (isChanged) announce(isFocused ? announcement : `${heading} ${announcement}`.trim())
}

/** The payer's choice between bank transfer and coins outlives the replaced part. */
function keepMethod(fresh: HTMLElement): void {
  const chosen = main.querySelector('[name=method]:checked')
  const same = chosen && fresh.querySelector<HTMLInputElement>(`#${chosen.id}`)
  if (same) same.checked = true
}

/** Shows the elements that need script, and starts the countdowns and the stream. */
function enhance(): void {
  const ready = '.copy,[data-live],.bar,[role=timer],[data-print]'
  for (const hidden of main.querySelectorAll<HTMLElement>(ready)) hidden.hidden = false
  // A document cannot be shown in a frame.
  const receipt = main.querySelector<HTMLAnchorElement>('a[href$=".pdf"]')
  if (receipt && parent !== window) receipt.target = '_blank'
  reportState()
  showReturn()
  const clock = main.querySelector<HTMLElement>('[data-now]')
  if (clock) setServerTime(clock.dataset.now!)
  tick()
  follow()
}

function setServerTime(time: string): void {
  serverStartMs = Date.parse(time) - performance.now()
}

/** Updates the countdown by the server's time: the device's clock may be wrong. */
function tick(): void {
  const clock = main.querySelector<HTMLElement>('[data-deadline]')
  if (!clock) return
  const { deadline = '', start = '', five = '', one = '' } = clock.dataset
  // Whole milliseconds: a fraction that rounding adds would show a second too much.
  const exactMs = Date.parse(deadline) - serverStartMs - performance.now()
  const remainingMs = Math.max(Math.round(exactMs), 0)
  const seconds = Math.ceil(remainingMs / 1_000)
  const share = remainingMs / (Date.parse(deadline) - Date.parse(start))
  find(clock, '[data-remaining]').textContent = formatClock(seconds)
  find(clock, '.bar i').style.transform = `scaleX(${Math.min(share, 1)})`
  clock.classList.toggle('soon', seconds <= 300)
  const warning = seconds <= 60 ? 60 : seconds <= 300 ? 300 : Number.POSITIVE_INFINITY
  if (warning < warnedAtSeconds && seconds > 0) announce(warning === 60 ? one : five)
  warnedAtSeconds = warning
  if (seconds === 0 && !swapping) swap().catch(() => {}) // the next tick tries again
}

/** Shows the countdown to the return, unless the payer stopped it. */
function showReturn(): void {
  const box = main.querySelector<HTMLElement>('[data-returning]')
  if (!box) return
  const seconds = find(box, '[data-seconds]')
  returnSeconds ??= Number(seconds.textContent)
  seconds.textContent = String(returnSeconds)
  box.hidden = isStaying
}

/** Follows the link to the shop when the time is up. Pauses while the page is hidden. */
function tickReturn(): void {
  if (returnSeconds === undefined || isStaying || document.hidden) return
  returnSeconds -= 1
  if (returnSeconds <= 0) {
    stay()
    find(main, 'a.primary').click()
  } else showReturn()
}

function stay(): void {
  if (returnSeconds === undefined || isStaying) return
  isStaying = true
  history.replaceState({ isStaying }, '')
  const box = main.querySelector<HTMLElement>('[data-returning]')
  const hadFocus = box?.contains(document.activeElement)
  showReturn()
  if (hadFocus) find(main, 'h1').focus({ preventScroll: true })
}

function formatClock(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  const rest = `${two((seconds % 3_600) / 60)}:${two(seconds % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

/**
 * Streams changes while the page is visible; a hidden page polls when it becomes visible. Browsers
 * reconnect an ended stream, but not a refused one: that is opened again with the next update.
 */
function follow(): void {
  const { sessionUrl } = main.dataset
  if (!sessionUrl || document.hidden) {
    stream?.close()
    stream = undefined
    clearTimeout(pollTimer)
    return
  }
  if (stream && stream.readyState !== EventSource.CLOSED) return
  stream = new EventSource(`${sessionUrl}/stream`)
  stream.addEventListener('open', pollNow)
  stream.addEventListener('changed', pollNow)
  stream.addEventListener('error', pollWithoutStream)
  resetBackoff()
  schedulePoll()
}

function pollNow(): void {
  resetBackoff()
  void poll()
}

/** After a stream error: polls sooner than planned, but never postpones a poll. */
function pollWithoutStream(): void {
  const waitMs = Math.max(intervalMs, Number(main.dataset.pollIntervalMs))
  if (!isPolling && nextPollAtMs > performance.now() + waitMs) schedulePoll()
}

function resetBackoff(): void {
  intervalMs = 0
  eagerUntilMs = performance.now() + Number(main.dataset.eagerPollingMs)
}

/**
 * Polls rarely while the stream is open. Without one, polls at the shortest interval for some
 * minutes, then backs off slowly; after a failed poll it backs off faster, also in those minutes.
 */
function schedulePoll(isAnswered = true): void {
  clearTimeout(pollTimer)
  const { sessionUrl, pollIntervalMs, pollIntervalMaxMs, streamingPollIntervalMs } = main.dataset
  if (!sessionUrl || document.hidden) return
  const isStreaming = isAnswered && stream?.readyState === EventSource.OPEN
  if (isStreaming) resetBackoff()
  else if (isAnswered && performance.now() < eagerUntilMs) intervalMs = 0
  else intervalMs *= isAnswered ? 1.1 : 1.5
  intervalMs = Math.min(Math.max(intervalMs, Number(pollIntervalMs)), Number(pollIntervalMaxMs))
  const waitMs = isStreaming ? Number(streamingPollIntervalMs) : intervalMs
  nextPollAtMs = performance.now() + waitMs
  pollTimer = setTimeout(() => void poll(), waitMs)
}

async function copy(button: HTMLElement): Promise<void> {
  const { copy: text = '', done = '', announcement = '' } = button.dataset
  const isCopied = await writeClipboard(text)
  if (!isCopied) return
  const label = button.textContent
  if (label !== done) {
    button.textContent = done
    button.classList.add('done')
    setTimeout(() => {
      button.textContent = label
      button.classList.remove('done')
    }, 2_000)
  }
  announce(announcement)
}

/** Falls back to execCommand on insecure pages and in frames without clipboard permission. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const field = document.createElement('textarea')
    field.value = text
    field.className = 'visually-hidden'
    document.body.append(field)
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    return isCopied
  }
}

/** Simulates a payment in test mode. The page then updates as for a real one. */
async function simulate(form: HTMLElement): Promise<void> {
  const button = find(form, 'button') as HTMLButtonElement
  const { simulate: url = '', method, then } = form.dataset
  button.disabled = true
  const body = method && {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method }),
  }
  const isSent = await fetch(url, { method: 'POST', ...body }).then(
    ({ ok }) => ok,
    () => false,
  )
  button.disabled = false
  const failed = find(form, '[data-failed]')
  failed.hidden = isSent
  if (!isSent) announce(failed.textContent!)
  // Coins take a few seconds to be final: show the page that waits for them.
  if (then && isSent) await go(then).catch(() => {})
  pollNow()
}

/** Follows a link within the page. */
function go(search: string): Promise<void> {
  history.replaceState(null, '', search || location.pathname)
  wantsFocus = true
  // The current request is for the previous link. `swap` requests another before it fails.
  swapRequest?.abort()
  return swap()
}

function reportState(): void {
  dialogPort?.postMessage({ state: main.dataset.state })
}

function closeDialog(): void {
  dialogPort?.postMessage({ isClosed: true })
}

// Only from the page around this one, and only if the merchant lists its origin.
addEventListener('message', ({ data, origin, source, ports: [port] }) => {
  const { frameOrigins = '' } = document.body.dataset
  const isListed =
    parent !== window && source === parent && frameOrigins.split(' ').includes(origin)
  if (!isListed || data !== 'manilla-inline' || !port) return
  dialogPort = port
  reportState()
})

document.addEventListener('click', (event) => {
  const target = event.target as HTMLElement
  const button = target.closest<HTMLElement>('[data-copy]')
  if (button) void copy(button)
  if (target.closest('[data-stay],a.primary')) stay()
  if (target.closest('[data-print]')) {
    stay()
    print()
  }
  const link = target.closest<HTMLAnchorElement>('a[data-swap],a[target=_top]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  if (link.target && !dialogPort) return
  event.preventDefault()
  // In the dialog, the way back to the shop is to close it.
  if (link.target) closeDialog()
  else go(link.search).catch(() => location.assign(link.href))
})

document.addEventListener('submit', (event) => {
  const form = event.target as HTMLElement
  if (!form.dataset.simulate) return
  event.preventDefault()
  void simulate(form)
})

// A payer who uses the keyboard reads or navigates the page: it must not disappear.
document.addEventListener('keydown', (event) => {
  stay()
  // The page around this one does not see the keys pressed in it.
  if (event.key === 'Escape') closeDialog()
})

document.addEventListener('visibilitychange', () => {
  follow()
  if (!document.hidden) pollNow()
})
addEventListener('online', pollNow)
setInterval(() => {
  tick()
  tickReturn()
}, 1_000)
enhance()
