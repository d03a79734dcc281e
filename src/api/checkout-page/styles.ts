import { dark, inColour, light } from './brand.js'

/** All styles of the page, inlined in its HTML. */
export function stylesFor(colour: string | null): string {
  return `
:root{color-scheme:light dark;${variables(inColour(light, colour))}}
@media (prefers-color-scheme:dark){:root{${variables(inColour(dark, colour))}}}${rules}`
}

function variables(theme: typeof light): string {
  return Object.entries(theme)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}

const rules = `
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;
  background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,
  "Noto Sans",Ubuntu,sans-serif;font-variant-numeric:tabular-nums lining-nums;
  overflow-wrap:anywhere}
h1,h2,p,dl,dd{margin:0}
a{color:var(--brand)}
a:focus-visible,button:focus-visible,summary:focus-visible,
#by-bank:focus-visible~.sum [for=by-bank],#by-coins:focus-visible~.sum [for=by-coins]{
  outline:3px solid var(--brand);outline-offset:2px}
[hidden]{display:none!important}
.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
  white-space:nowrap;-webkit-user-select:none;user-select:none}
.soft{color:var(--soft)}
.small{font-size:.875rem}
.band{background:var(--warn-wash);color:var(--warn);text-align:center;font-size:.875rem;
  font-weight:600;padding:.5rem 1rem;border-bottom:2px dashed var(--warn)}
.sheet{width:100%;max-width:27rem;margin:0 auto;padding:1.25rem 1rem 1.5rem;flex:1;display:flex;
  flex-direction:column}
.shop{display:flex;align-items:center;gap:.75rem;margin-bottom:1.25rem}
.logo{flex:none;width:2.75rem;height:2.75rem;border-radius:.8rem;display:grid;place-items:center;
  background:var(--brand);color:var(--on-brand);font-weight:700;overflow:hidden}
.logo img{width:100%;height:100%;object-fit:contain;background:#fff}
.shop b{display:block;line-height:1.25}
main{flex:1;display:grid;gap:1rem;align-content:start}
.sum,.pay,.stack{display:grid;gap:1rem;align-content:start}
.stack>*,.sum>*,.pay>*{min-width:0}
.tabs{display:grid;grid-template-columns:1fr 1fr;gap:.25rem;padding:.25rem;border-radius:1rem;
  background:var(--wash);border:1px solid var(--line)}
.tabs label{min-height:2.75rem;display:grid;place-items:center;text-align:center;cursor:pointer;
  border-radius:.75rem;padding:.25rem .5rem;line-height:1.2}
#by-bank:checked~.sum [for=by-bank],#by-coins:checked~.sum [for=by-coins]{background:var(--card);
  color:var(--brand);font-weight:600;box-shadow:0 0 0 1px var(--edge)}
#by-bank:checked~* .coins-only,#by-coins:checked~* .bank-only{display:none!important}
h1{font-size:1rem;font-weight:400;line-height:1.2;color:var(--soft)}
h1 .amount{display:block;font-size:clamp(2.1rem,11vw,2.75rem);font-weight:700;
  letter-spacing:-.025em;line-height:1.15;color:var(--ink);white-space:nowrap}
h1 .long{font-size:clamp(1.5rem,8.6vw,2.4rem)}
h1 .longest{font-size:clamp(1rem,5.6vw,1.6rem)}
.for{margin-top:-.6rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:1.1rem;overflow:hidden}
.row{display:flex;justify-content:space-between;align-items:baseline;gap:.25rem 1rem;
  padding:.75rem 1rem;border-top:1px solid var(--line)}
.row>dd{text-align:right}
.row.copied{display:grid;grid-template-columns:1fr auto;padding-block:.65rem}
.row.copied dd{text-align:left}
.act{grid-area:1/2/span 2/3;align-self:center}
.row:first-child{border-top:0}
.row.copied.first{background:var(--wash);padding-block:.85rem}
dt{color:var(--soft);font-size:.875rem;line-height:1.35;flex:none}
.first dt{color:var(--ink)}
dd{font-weight:600;line-height:1.35}
.number{font-size:clamp(1.3rem,6.4vw,1.65rem);line-height:1.25;white-space:nowrap}
.number span+span{margin-left:.4em}
button,.button{font:inherit;font-weight:600;cursor:pointer;border-radius:.85rem;min-height:3rem;
  padding:.5rem 1rem;border:1px solid var(--edge);background:transparent;color:var(--ink);
  text-decoration:none;display:inline-flex;align-items:center;justify-content:center;gap:.5rem;
  text-align:center;-webkit-tap-highlight-color:transparent;touch-action:manipulation}
.copy{min-width:5.25rem;color:var(--brand);background:var(--card);
  border-color:var(--line);padding-inline:.75rem}
.copy.done{color:var(--good);border-color:var(--good)}
.primary{width:100%;min-height:3.5rem;border:0;border-radius:1rem;background:var(--brand);
  color:var(--on-brand);font-size:1.0625rem}
.plain{width:100%}
button:active,.button:active{transform:translateY(1px)}
button[disabled]{opacity:.75;cursor:progress}
.clock{display:grid;gap:.4rem}
.clock p{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem}
.bar{height:.375rem;border-radius:1rem;background:var(--line);overflow:hidden}
.bar i{display:block;height:100%;border-radius:1rem;background:var(--brass);
  transform-origin:left}
.soon .bar i{background:var(--warn)}
.soon b{color:var(--warn)}
.note{background:var(--warn-wash);color:var(--ink);border-radius:1rem;padding:.85rem 1rem}
.note h2{font-size:1rem;line-height:1.35;color:var(--warn);margin-bottom:.2rem}
.note p+p{margin-top:.5rem}
.exact{font-size:.9375rem}
.links{display:grid;gap:.25rem;justify-items:center;text-align:center}
.links a{min-height:3rem;display:inline-flex;align-items:center;padding:0 1rem}
details{border-top:1px solid var(--line)}
details:last-of-type{border-bottom:1px solid var(--line)}
summary{min-height:3rem;display:flex;align-items:center;justify-content:space-between;gap:1rem;
  cursor:pointer;font-weight:600;list-style:none}
summary::-webkit-details-marker{display:none}
summary::after{content:"";flex:none;width:.55rem;height:.55rem;margin:0 .3rem .2rem;
  border:solid var(--soft);border-width:0 2px 2px 0;transform:rotate(45deg)}
details[open] summary::after{transform:translateY(.25rem) rotate(225deg)}
.method{display:grid;gap:1rem;padding-bottom:1rem;text-align:left}
.address{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.875rem}
.stack>.by-phone{margin-bottom:-1rem;border-bottom:0}
.receipt{display:grid;gap:.75rem;text-align:left}
.receipt h2{font-size:1rem}
.receipt dt{line-height:1.5}
.row.code{display:block}
.row.code dd{text-align:left;font-weight:400}
.returning{display:grid;gap:.75rem;background:var(--wash);border-radius:1rem;padding:1rem}
.help{display:flex;flex-wrap:wrap;gap:0 1rem;justify-content:center}
.help a{min-height:2.75rem;display:inline-flex;align-items:center;margin-block:-.6rem}
.inside{padding-bottom:1rem;display:grid;gap:.75rem}
.inside div{display:grid;gap:.1rem}
.inside dd{font-weight:400}
.qr{display:block;width:100%;max-width:15rem;margin:0 auto;border-radius:.75rem}
.scan{display:none}
.tester{display:grid;gap:.5rem;border:2px dashed var(--warn);border-radius:1rem;padding:1rem;
  text-align:center}
.tester button{border-color:var(--warn);color:var(--warn);background:var(--warn-wash)}
.message{text-align:center;gap:1.25rem;padding-top:1.5rem}
.message h1{font-size:1.75rem;font-weight:700;letter-spacing:-.015em;color:var(--ink)}
.message .note,.message details{text-align:left}
.message .words{display:grid;gap:.6rem}
.sign{width:4.5rem;height:4.5rem;margin:0 auto;border-radius:50%;display:grid;place-items:center}
.sign svg{width:2.25rem;height:2.25rem;fill:none;stroke:currentColor;stroke-width:3;
  stroke-linecap:round;stroke-linejoin:round}
.sign.good{background:var(--good-wash);color:var(--good)}
.sign.warn{background:var(--warn-wash);color:var(--warn)}
.sign.bad{background:var(--bad-wash);color:var(--bad)}
.sign.wait{background:var(--wash);color:var(--brand)}
footer{display:flex;justify-content:center;align-items:center;gap:.4rem;color:var(--soft);
  font-size:.8125rem;padding-top:1.75rem}
footer svg{width:1.1rem;height:1.1rem}
@media (min-width:56rem){
  .sheet{padding-top:3rem}
  .sheet:has(main.columns){max-width:56rem}
  .shop{margin-bottom:2rem}
  main.columns{grid-template-columns:1fr 25rem;gap:4rem}
  h1 .amount{font-size:3.25rem}
  h1 .long{font-size:2.6rem}
  h1 .longest{font-size:1.7rem}
  .by-phone{display:none}
  .scan{display:flex;align-items:center;gap:1.25rem;margin-top:.5rem}
  .scan .qr{width:9.5rem;flex:none;margin:0;border:1px solid var(--line)}
}
@media (prefers-reduced-motion:no-preference){
  main.fresh{animation:rise .3s ease-out}
  .sign.wait svg{animation:turn 1.6s linear infinite}
  .sign.good svg path{stroke-dasharray:40;animation:draw .5s .1s ease-out backwards}
  .bar i{transition:transform 1s linear}
}
@keyframes rise{from{opacity:0;transform:translateY(.5rem)}}
@keyframes turn{to{transform:rotate(1turn)}}
@keyframes draw{from{stroke-dashoffset:40}}
@media print{
  body{background:#fff;color:#000;min-height:0}
  .sheet{max-width:none}
  button,.button,.links,.returning,details,.sign{display:none!important}
  .message{text-align:left;padding-top:0;gap:.75rem}
  .message h1{font-size:1.25rem}
}
`.replace(/\n\s*/g, '')
