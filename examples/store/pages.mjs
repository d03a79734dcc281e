/** Prices in kobo. */
export const shelf = [
  { code: 'bread', name: 'Agege bread', more: 'One loaf, baked this morning', price: 120_000 },
  { code: 'rice', name: 'Ofada rice', more: 'Five kilograms, stone free', price: 1_450_000 },
  { code: 'zobo', name: 'Zobo', more: 'Six bottles, with ginger', price: 420_000 },
  { code: 'chin-chin', name: 'Chin chin', more: 'A jar of 500 grams', price: 249_950 },
]

export function shelfPage(look, token) {
  const goods = shelf.map(
    ({ code, name, more, price }, at) => html`<label class="good">
      <input type="radio" name="good" value="${code}"${at === 0 && html` checked`}>
      <span><b>${name}</b><small>${more}</small></span>
      <b class="price">${naira(price)}</b></label>`,
  )
  const form = html`<p class="soft">Pick one, pay by bank transfer, and it leaves today.</p>
    <form method="post" action="/orders"><input type="hidden" name="token" value="${token}">
    <fieldset><legend>What would you like?</legend>${goods}</fieldset>
    <label>Your name <input name="name" autocomplete="name" required maxlength="100"></label>
    <label>Your email
      <input name="email" type="email" autocomplete="email" required maxlength="200"></label>
    <button>Go to payment</button>
    <button class="second" name="terms" value="invoice">Send me an invoice</button></form>`
  return page(look, { title: 'On the shelf today', main: form })
}

const news = {
  waiting: ['Waiting for your payment', 'This page updates when your payment arrives.'],
  paid: ['Paid', 'Thank you. We are packing it now.'],
  shipped: ['Shipped', 'Thank you. We received your payment, and your parcel is on its way.'],
  expired: ['Time is up', "We received no payment. Please don't send money for this order."],
  cancelled: ['Cancelled', "Please don't send money for this order."],
}

export function orderPage(look, /** @type {import('./orders.mjs').Order} */ order) {
  const { description, amount, customer } = order.request
  const [title = '', words] = news[order.status]
  const url = order.status === 'waiting' && payUrl(order)
  const main = html`<p>${words}</p>
    <dl><dt>Order</dt><dd>${order.id.slice(0, 8)}</dd><dt>For</dt><dd>${customer.name}</dd>
    <dt>${description}</dt><dd>${naira(amount)}</dd></dl>
    ${url && html`<a class="button" href="${url}">Pay now</a>`}<a href="/">Back to the shelf</a>`
  return page(look, { title, main, state: order.status })
}

/** Where the customer pays: the checkout page, or the page of the invoice. */
export function payUrl(/** @type {import('./orders.mjs').Order} */ { session, invoice }) {
  return (session ?? invoice)?.url
}

export function problemPage(look, words) {
  const main = html`<p>${words}</p><a href="/">Back to the shelf</a>`
  return page(look, { title: 'Something went wrong', main })
}

function page({ name, isTest }, { title, main, state = '' }) {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8">
    <title>${title} · ${name}</title><link rel="icon" href="data:,">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <link rel="stylesheet" href="/shop.css"></head><body>
    ${isTest && html`<aside aria-label="Mode">Test mode · no real money moves</aside>`}
    <header><a href="/"><span aria-hidden="true">${name[0]}</span>${name}</a></header>
    <main class="${state}"><h1>${title}</h1>${main}</main>
    <footer>Payments by Manilla</footer></body></html>`.markup
}

const naira = (kobo) => (kobo / 100).toLocaleString('en-NG', { style: 'currency', currency: 'NGN' })

/** Escapes every value, except markup made by `html` itself. */
function html(parts, ...values) {
  return { markup: parts.map((part, at) => part + toMarkup(values[at] ?? '')).join('') }
}

function toMarkup(value) {
  if (value === false) return ''
  if (Array.isArray(value)) return value.map(toMarkup).join('')
  return value.markup ?? String(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
