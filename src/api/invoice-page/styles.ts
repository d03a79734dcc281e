/** What the page of an invoice adds to the styles of the checkout page. */
export const invoiceStyles = `
.invoice h2{font-size:1rem;line-height:1.35}
.invoice .late{color:var(--warn);font-weight:600}
.invoice section{display:grid;gap:.75rem;align-content:start}
.invoice .head,.invoice .pay,.invoice .paper{min-width:0}
.invoice .paper{display:grid;gap:1.25rem;align-content:start}
.invoice .sign{margin:0}
.invoice h1.state{font-size:1.6rem;font-weight:700;color:var(--ink)}
.invoice form{display:grid;gap:.75rem}
.invoice .written{white-space:pre-line}
.invoice ul{list-style:none;margin:0;padding:0}
.invoice li{display:grid;grid-template-columns:1fr auto;gap:.1rem 1rem;padding:.75rem 1rem;
  border-top:1px solid var(--line)}
.invoice li:first-child{border-top:0}
.invoice li .small{grid-column:1/-1}
.invoice li b{white-space:nowrap}
.invoice .last{background:var(--wash)}
.invoice .last dt{color:var(--ink);font-size:1rem;font-weight:600}
@media (min-width:56rem){
  .sheet:has(main.invoice){max-width:60rem}
  main.invoice{grid-template-columns:1fr 25rem;grid-template-rows:auto 1fr;gap:1.5rem 4rem}
  .invoice .paper{grid-row:2}
  .invoice .pay{grid-column:2;grid-row:1/span 2}
  .invoice h1 .amount{font-size:3.25rem}
}
@media print{
  .invoice .sign,.invoice section:has(form){display:none!important}
  .invoice li,.invoice .row,.invoice section{break-inside:avoid}
}
`.replace(/\n\s*/g, '')
