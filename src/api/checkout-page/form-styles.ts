/** Styles of pages with a form. */
export const formStyles = `
.ask{display:grid;gap:1rem}
.ask .field{display:grid;gap:.3rem}
.ask label{font-weight:600;font-size:.9375rem}
.ask label span{font-weight:400;color:var(--soft)}
.ask input{font:inherit;width:100%;min-height:3rem;padding:.5rem .85rem;border-radius:.85rem;
  border:1px solid var(--edge);background:var(--card);color:var(--ink)}
.ask input:focus-visible{outline:3px solid var(--brand);outline-offset:1px}
.ask input[aria-invalid]{border:2px solid var(--bad)}
.ask .wrong{color:var(--bad);font-size:.875rem}
.naira{position:relative}
.naira::before{content:"₦";position:absolute;left:.85rem;top:0;line-height:3.5rem;
  font-size:1.25rem;font-weight:600;color:var(--soft)}
.ask .naira input{min-height:3.5rem;padding-left:2.2rem;font-size:1.25rem;font-weight:600}
.price .amount{display:block;font-size:clamp(2.1rem,11vw,2.75rem);font-weight:700;
  letter-spacing:-.025em;line-height:1.15;white-space:nowrap}
.price .long{font-size:clamp(1.5rem,8.6vw,2.4rem)}
.price .longest{font-size:clamp(1rem,5.6vw,1.6rem)}
.about{font-size:1.25rem;font-weight:600;line-height:1.35;color:var(--ink)}
`.replace(/\n\s*/g, '')
