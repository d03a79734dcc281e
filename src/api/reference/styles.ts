import { dark, light } from '../checkout-page/brand.js'

/** One file for all pages, in the colours of the checkout page. */
export function referenceStyles(): string {
  return `:root{color-scheme:light dark;${variables(light)}}
@media (prefers-color-scheme:dark){:root{${variables(dark)}}}${rules}`
}

function variables(theme: typeof light): string {
  return Object.entries(theme)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}

const rules = `
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:4rem}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,
  "Segoe UI",Roboto,"Noto Sans",Ubuntu,sans-serif;overflow-wrap:anywhere}
a{color:var(--brand)}
:focus-visible{outline:3px solid var(--brand);outline-offset:2px}
[hidden]{display:none!important}
code,pre,textarea,.address{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;
  font-size:.875rem}
p,ul,pre{margin:0 0 1rem}
h1{font-size:1.75rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 .75rem}
h2{font-size:1.2rem;line-height:1.3;margin:2rem 0 .6rem}
h3{font-size:1.05rem;margin:1.75rem 0 .25rem}
.soft,small{color:var(--soft)}
small{font-size:.8125rem;font-weight:400}
header{position:sticky;top:0;z-index:1;display:flex;justify-content:space-between;
  align-items:center;background:var(--card);border-bottom:1px solid var(--line);padding:0 1rem}
header a{display:inline-flex;align-items:center;gap:.5rem;min-height:3rem;color:var(--ink);
  text-decoration:none}
header .jump{padding:0 .5rem;font-weight:600;color:var(--brand)}
header .home{white-space:nowrap;font-weight:700}
.search{flex:1;max-width:32rem;margin:0 .75rem;min-height:2.25rem;padding:.3rem .65rem}
.hits{position:absolute;top:calc(100% + .35rem);right:.5rem;
  width:min(40rem,100% - 1rem);background:var(--card);
  border:1px solid var(--edge);border-radius:.6rem;box-shadow:0 .75rem 2rem rgb(0 0 0/.18)}
.hits p{margin:0;padding:.5rem .75rem;color:var(--soft);font-size:.875rem}
.hits p:empty{display:none}
#hits{max-height:min(30rem,70vh);overflow:auto;padding:.25rem}
.hits a{display:block;min-height:2.75rem;padding:.4rem .5rem;border-radius:.4rem}
.hits b,.hits small{display:block}
.hits small{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.hits a:hover,.hits [aria-selected=true]{background:var(--wash)}
.contents{columns:16rem;padding-left:1.2rem}
:target{scroll-margin-top:4rem}
tr:target{background:var(--wash)}
@media (max-width:40rem){
  header .home{font-size:0}
  .search{margin:0 .25rem}
}
header svg{width:1.6rem;height:1.6rem}
.frame{max-width:90rem;margin:0 auto}
main,nav{padding:1.25rem 1rem}
main{min-width:0}
nav{border-top:1px solid var(--line)}
nav a{display:flex;gap:.5rem;align-items:baseline;min-height:2.75rem;padding:.6rem .5rem;
  border-radius:.5rem;text-decoration:none;color:var(--ink);line-height:1.4}
nav a:hover,nav a[aria-current]{background:var(--wash)}
nav a[aria-current]{font-weight:600}
summary{cursor:pointer;padding:.6rem 0;font-weight:600;min-height:2.75rem}
nav summary{padding:.6rem .5rem}
[data-method]::before{content:attr(data-method)}
.method,[data-method]::before{font:600 .6875rem/1.6 ui-monospace,Menlo,Consolas,monospace;
  flex:none;padding:0 .35rem;
  border-radius:.3rem;background:var(--wash);color:var(--brand);display:inline-block;
  min-width:3.1rem;text-align:center}
.method.get,[data-method=GET]::before{background:var(--good-wash);color:var(--good)}
.method.delete,[data-method=DELETE]::before{background:var(--bad-wash);color:var(--bad)}
.address{padding:.6rem .75rem;background:var(--card);border:1px solid var(--line);
  border-radius:.6rem}
.operations{list-style:none;padding:0}
.operations li{padding:.55rem 0;border-top:1px solid var(--line);display:flex;flex-wrap:wrap;
  gap:.15rem .6rem;align-items:baseline;scroll-margin-top:4rem}
.operations li:target{background:var(--wash)}
.operations a{font-weight:600;flex:1 1 60%}
.operations code{color:var(--soft);flex-basis:100%}
.fields{list-style:none;padding:0;margin:0 0 1rem}
.fields li{padding:.55rem 0;border-top:1px solid var(--line)}
.fields li>code{font-weight:600}
.fields p{margin:.15rem 0 0;font-size:.9375rem}
.fields .fields{margin:.5rem 0 0;padding-left:.9rem;border-left:2px solid var(--line)}
.fields .fields li:first-child{border-top:0}
.or{color:var(--soft);margin:.25rem 0}
pre{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.75rem;
  overflow:auto;overflow-wrap:normal;max-height:32rem;line-height:1.45}
.wide{overflow:auto;margin-bottom:1rem}
table{border-collapse:collapse;font-size:.9375rem;min-width:100%}
th,td{text-align:left;vertical-align:top;padding:.45rem .75rem .45rem 0;
  border-top:1px solid var(--line);overflow-wrap:normal}
label small{font-weight:400}
label{display:block;font-weight:600;font-size:.875rem;margin-bottom:.75rem}
input,select,textarea{display:block;width:100%;margin-top:.25rem;padding:.55rem .65rem;
  font-size:1rem;font-weight:400;color:var(--ink);background:var(--card);
  border:1px solid var(--edge);border-radius:.5rem;min-height:2.75rem}
input{font-family:inherit}
textarea{font-size:.875rem;line-height:1.45;resize:vertical;max-height:24rem}
::placeholder{color:var(--soft);opacity:1}
button{font:inherit;font-weight:600;cursor:pointer;border-radius:.6rem;min-height:2.75rem;
  padding:.4rem 1rem;border:1px solid var(--edge);background:transparent;color:var(--ink)}
.send{width:100%;border:0;background:var(--brand);color:var(--on-brand);margin-bottom:1rem}
button[disabled]{opacity:.75;cursor:progress}
.code{position:relative}
.copy{position:absolute;top:.4rem;right:.4rem;min-height:2rem;padding:.1rem .6rem;
  font-size:.8125rem;background:var(--card);color:var(--brand);border-color:var(--line)}
.answer ol{margin:0 0 .75rem;padding-left:1.2rem;font-size:.875rem}
.outcome{font-weight:600;margin:0 0 .5rem}
.outcome b{padding:.1rem .5rem;border-radius:.4rem;background:var(--bad-wash);color:var(--bad)}
.outcome.good b{background:var(--good-wash);color:var(--good)}
.events details{border-top:1px solid var(--line)}
.events summary code{font-weight:600}
footer{text-align:center;color:var(--soft);font-size:.8125rem;padding:1.5rem 1rem}
@media (min-width:64rem){
  .frame{display:grid;grid-template-columns:18rem minmax(0,1fr)}
  header .jump{display:none}
  nav{grid-area:1/1;position:sticky;top:3rem;align-self:start;height:calc(100vh - 3rem);
    overflow:auto;border-top:0;border-right:1px solid var(--line)}
  nav a{min-height:0;padding:.3rem .5rem;font-size:.9375rem}
  nav summary{min-height:0;padding:.45rem .5rem}
  main{grid-area:1/2;padding:2rem 2.5rem;max-width:72rem}
  .operations a{flex:none}
  .operations code{flex-basis:auto;margin-left:auto}
  .columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,26rem);gap:2.5rem}
  .columns>div{grid-area:1/1;min-width:0}
  .try{grid-area:1/2;position:sticky;top:4rem;align-self:start;
    max-height:calc(100vh - 5rem);overflow:auto;    padding:.1rem .25rem}
  .try h2,.columns>div>h2:first-child{margin-top:.5rem}
}
@media (scripting:none){form,.search{display:none}}
@media print{header,nav,.try,footer{display:none}}
`.replace(/\n\s*/g, '')
