/** What `inline.js` of a Manilla service adds to a page. */

/** Reference or URL of a checkout session, or the session as the API returns it. */
export type InlineSession = string | { url: string }

/**
 * What the payment page showed when the dialog closed. It comes from the payer's browser: ship when
 * your server has read the session or received its event. `closed` does not mean unpaid: a transfer
 * may still arrive.
 */
export type InlineResult = {
  status: 'paid' | 'closed' | 'expired' | 'cancelled'
  /** Reference of the session. */
  session: string
}

export type Inline = {
  version: string
  /**
   * Shows the session in a dialog. Resolves when the dialog has closed. Rejects if the page cannot
   * be shown, or while another session is.
   */
  open(options: { session: InlineSession }): Promise<InlineResult>
}

declare global {
  interface Window {
    /** Undefined until `inline.js` has been loaded. */
    Manilla?: Inline
  }
}
