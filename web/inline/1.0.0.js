/*! Manilla inline checkout 1.0.0, Apache-2.0: shows the hosted payment page in a dialog. */
;(() => {
  if (window.Manilla) return

  /** @typedef {import('../../sdk/react/inline.js').InlineResult} Result */
  /** @typedef {import('../../sdk/react/inline.js').Inline['open']} Open */
  /** @typedef {{ url: string, done: Promise<Result>, isClosing: boolean }} Shown */

  const script = /** @type {HTMLScriptElement | null} */ (document.currentScript)
  /** Only pages of the server that sent this script are shown. */
  const home = script?.src ? new URL(script.src).origin : ''
  const isSupported = 'adoptedStyleSheets' in document && 'HTMLDialogElement' in window
  const answerTimeoutMs = 5_000

  /** @type {Shown | undefined} */
  let current

  /** @type {Open} */
  async function open({ session }) {
    const url = toUrl(session)
    if (current?.isClosing) {
      await current.done.catch(() => {})
      return open({ session })
    }
    if (current && current.url !== url) throw new Error('Another payment dialog is open.')
    if (!current && !isSupported) {
      location.assign(url)
      return new Promise(() => {})
    }
    current ??= show(url)
    return current.done
  }

  /** @param {unknown} session */
  function toUrl(session) {
    if (!home) throw new Error('Load inline.js with a script element of its own.')
    const { url: text = session } = /** @type {{ url?: unknown }} */ (session ?? {})
    const url = new URL(`${text}`.replace(/^cs_/, '/checkout/$&'), home)
    if (url.origin !== home || !/^\/checkout\/cs_\w+$/.test(url.pathname))
      throw new TypeError(`session must be a checkout session of ${home}.`)
    return home + url.pathname
  }

  /** @param {string} url */
  function show(url) {
    const isFrench = document.documentElement.lang.startsWith('fr')
    const button = make('button', { type: 'button', 'aria-label': isFrench ? 'Fermer' : 'Close' })
    const title = isFrench ? 'Paiement' : 'Payment'
    const frame = make('iframe', { src: url, title, allow: 'clipboard-write' })
    const bar = make('header', {}, make('span', {}, new URL(url).host), button)
    const dialog = make('dialog', { 'aria-label': title, 'aria-busy': 'true' }, bar, frame)
    const host = make('div')
    const root = host.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [styles(dialogStyles)]
    root.append(dialog)

    const { style } = document.documentElement
    const { overflow } = style
    const entry = `${performance.now()}`
    let status = 'closed'
    let timer = 0
    /** @type {MessagePort | undefined} */
    let port
    /** @type {(value: Result | Promise<never>) => void} */
    let settle
    /** @type {Shown} */
    const shown = { url, done: new Promise((resolve) => (settle = resolve)), isClosing: false }

    button.onclick = () => close()
    // Esc, and the back gesture where the browser closes dialogs with it.
    dialog.onclose = () => close()
    frame.onload = connect
    addEventListener('popstate', leave)
    document.body.append(host)
    style.overflow = 'hidden'
    dialog.showModal()
    // The back button closes the dialog. A router finds its own state in the entry.
    history.pushState({ ...history.state, manilla: entry }, '')
    return shown

    /**
     * Only a page of our server receives the port, and messages are read from the port only, so
     * nothing that another window posts counts.
     */
    function connect() {
      const { port1, port2 } = new MessageChannel()
      port?.close()
      port = port1
      port.onmessage = hear
      frame.contentWindow?.postMessage('manilla-inline', home, [port2])
      clearTimeout(timer)
      timer = setTimeout(refuse, answerTimeoutMs)
    }

    /** @param {MessageEvent} message */
    function hear({ data: { state, isClosed } }) {
      clearTimeout(timer)
      if (state) status = ['paid', 'expired', 'cancelled'].includes(state) ? state : 'closed'
      if (isClosed) close()
      else if (dialog.hasAttribute('aria-busy')) {
        dialog.removeAttribute('aria-busy')
        frame.focus()
      }
    }

    function refuse() {
      const advice = `Check the session, and that checkout.frameOrigins lists ${location.origin}.`
      close(new Error(`${url} cannot be shown here. ${advice}`))
    }

    function leave() {
      close()
    }

    /** @param {Error} [error] */
    async function close(error) {
      if (shown.isClosing) return
      shown.isClosing = true
      clearTimeout(timer)
      removeEventListener('popstate', leave)
      port?.close()
      // Returns the focus to where it was.
      dialog.close()
      host.remove()
      style.overflow = overflow
      // The back button has removed the entry already, and one that the page added since stays.
      if (history.state?.manilla === entry)
        await new Promise((resolve) => {
          addEventListener('popstate', resolve, { once: true })
          setTimeout(resolve, 1_000)
          history.back()
        })
      current = undefined
      const result = { status, session: url.slice(url.lastIndexOf('/') + 1) }
      settle(error ? Promise.reject(error) : /** @type {Result} */ (result))
    }
  }

  /**
   * @template {keyof HTMLElementTagNameMap} Name
   * @param {Name} name
   * @param {Record<string, string>} [attributes]
   * @param {(Node | string)[]} content
   */
  function make(name, attributes = {}, ...content) {
    const element = document.createElement(name)
    for (const key in attributes) element.setAttribute(key, attributes[key] ?? '')
    element.append(...content)
    return element
  }

  /**
   * Constructed, which a policy without 'unsafe-inline' allows.
   * @param {string} text
   */
  function styles(text) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    return sheet
  }

  const dialogStyles = `
:host { all: initial }
dialog { box-sizing: border-box; width: 448px; height: 760px; max-width: 100%;
  max-height: calc(100vh - 48px); max-height: calc(100dvh - 48px); padding: 0; margin: auto;
  border: 1px solid transparent; border-radius: 20px; overflow: hidden;
  overscroll-behavior: contain; color-scheme: light dark; background: #faf7f1; color: #6b665c;
  font: 13px/1.4 system-ui, sans-serif; box-shadow: 0 16px 64px rgb(20 19 15 / .35) }
dialog[open] { display: flex; flex-direction: column }
dialog::backdrop { background: rgb(20 19 15 / .6) }
[aria-busy]::after { content: ''; position: absolute; inset: 0; margin: auto; width: 32px;
  height: 32px; border: 3px solid; border-right-color: transparent; border-radius: 50% }
header { display: flex; align-items: center; justify-content: space-between; padding-left: 16px }
span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
button { flex: none; width: 44px; height: 44px; padding: 0; border: 0; border-radius: 18px;
  background: none; color: inherit; font: 26px/1 system-ui, sans-serif; cursor: pointer }
button::before { content: '×' }
button:focus-visible { outline: 3px solid #8a5a12; outline-offset: -4px }
iframe { flex: 1; min-height: 0; border: 0 }
[aria-busy] iframe { opacity: 0 }
@media (max-width: 480px), (max-height: 480px) {
  dialog { width: 100%; height: 100vh; height: 100dvh; max-height: none; border: 0;
    border-radius: 0 }
}
@media (prefers-color-scheme: dark) {
  dialog { background: #14130f; color: #a79f8f }
  button:focus-visible { outline-color: #e2b25e }
}
@media (prefers-reduced-motion: no-preference) {
  dialog { animation: rise .2s ease-out }
  [aria-busy]::after { animation: turn 1s linear infinite }
}
@keyframes rise { from { opacity: 0; transform: translateY(16px) } }
@keyframes turn { to { transform: rotate(1turn) } }`

  const buttonStyles = `
:host { display: inline-block }
:host([hidden]) { display: none }
button { width: 100%; min-height: 48px; padding: 8px 24px; border: 0; border-radius: 14px;
  background: #8a5a12; color: #fff; font: inherit; font-weight: 600; cursor: pointer }
button:focus-visible { outline: 3px solid; outline-offset: 2px }`

  class ManillaButton extends HTMLElement {
    constructor() {
      super()
      const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
      if (isSupported) root.adoptedStyleSheets = [styles(buttonStyles)]
      const button = make('button', { type: 'button', part: 'button' }, make('slot', {}, 'Pay'))
      button.onclick = () => pay(this)
      root.append(button)
    }
  }

  /** @param {HTMLElement} element */
  async function pay(element) {
    const session = element.getAttribute('session') ?? ''
    /** @type {(name: string, detail: unknown) => boolean} */
    const emit = (name, detail) =>
      element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, cancelable: true }))
    try {
      emit('manilla-result', await open({ session }))
    } catch (error) {
      // Unless the page handles it, the payer pays on the hosted page.
      if (emit('manilla-error', error)) location.assign(toUrl(session))
    }
  }

  customElements.define('manilla-button', ManillaButton)
  window.Manilla = Object.freeze({ version: '1.0.0', open })
})()
