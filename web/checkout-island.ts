/**
 * What a script adds to the checkout page, which is complete without it: a clock, buttons that
 * copy, and news. The server writes all words and every state; this only asks for the new main
 * part of the page and puts it in the place of the old.
 */

type Places = Record<'amountHeld' | 'amountReturning' | 'amountReturned', number>
type News = { status: string; serverTime: string; received: Places[] }

const announcer = find(document, '#announcer')
let main = find(document, '#checkout')
let stream: EventSource | undefined
let timer = 0
let pollMs = 0
let isAsking = false
let isAskedAgain = false
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

/** Asks what is new; at most one question at a time. */
async function look(): Promise<void> {
  clearTimeout(timer)
  if (isAsking) {
    isAskedAgain = true
    return
  }
  isAsking = true
  try {
    const news = await ask()
    if (news) {
      setServerTime(news.serverTime)
      if (seenOf(news) !== main.dataset.seen) await swap(location.search)
    }
  } catch {
    // The network is away: the next look is due soon.
  }
  isAsking = false
  if (isAskedAgain) {
    isAskedAgain = false
    await look()
  } else plan()
}

async function ask(): Promise<News | undefined> {
  const { watch } = main.dataset
  if (!watch) return undefined
  const response = await fetch(watch, { cache: 'no-store', signal: AbortSignal.timeout(10_000) })
  return response.ok ? ((await response.json()) as { data: News }).data : undefined
}

/** The server writes the same into the page. */
function seenOf({ status, received }: News): string {
  const places = received.map((one) => [one.amountHeld, one.amountReturning, one.amountReturned])
  return [status, ...places].join()
}

/** Fetches the main part as it is now, and shows it. Says it aloud when the state is another. */
async function swap(search: string): Promise<void> {
  const query = new URLSearchParams(search)
  query.set('part', 'main')
  const signal = AbortSignal.timeout(10_000)
  const response = await fetch(`${location.pathname}?${query}`, { cache: 'no-store', signal })
  if (!response.ok) return
  const parsed = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = parsed.querySelector<HTMLElement>('#checkout')
  if (!fresh) return
  const hadFocus = main.contains(document.activeElement)
  const isNews = fresh.dataset.seen !== main.dataset.seen
  const isOther = isNews || fresh.dataset.state !== main.dataset.state
  main.replaceWith(document.adoptNode(fresh))
  main = fresh
  if (isOther) main.classList.add('fresh')
  document.title = main.dataset.title!
  dress()
  if (isOther) scrollTo(0, 0)
  if (hadFocus) find(main, 'h1').focus({ preventScroll: true })
  if (isOther) say(main.dataset.says!)
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
  if (seconds === 0) void swap(location.search)
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
  stream.addEventListener('error', () => plan())
  plan()
}

function hear(): void {
  pollMs = 0
  void look()
}

/** With a stream, now and then; without one, soon, and then ever more seldom. */
function plan(): void {
  clearTimeout(timer)
  const { watch, poll, longestPoll, reassure } = main.dataset
  if (!watch || document.hidden) return
  const isHeard = stream?.readyState === EventSource.OPEN
  pollMs = isHeard ? 0 : Math.min(Math.max(pollMs * 1.1, Number(poll)), Number(longestPoll))
  timer = setTimeout(() => void look(), isHeard ? Number(reassure) : pollMs)
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

/** In test mode: pays, and the news come as they would from a bank. */
async function pay(form: HTMLElement): Promise<void> {
  const button = find(form, 'button') as HTMLButtonElement
  button.disabled = true
  await fetch(form.dataset.simulate!, { method: 'POST' }).catch(() => {})
  button.disabled = false
  hear()
}

document.addEventListener('click', (event) => {
  const target = event.target as HTMLElement
  const button = target.closest<HTMLElement>('[data-copy]')
  if (button) void copy(button)
  const link = target.closest<HTMLAnchorElement>('a[data-swap]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  history.replaceState(null, '', link.search || location.pathname)
  pollMs = 0
  swap(link.search).then(
    () => find(main, 'h1').focus({ preventScroll: true }),
    () => location.assign(link.href),
  )
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
