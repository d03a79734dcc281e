/** `/collect?new=link` as the router takes it. */
export function splitPath(path: string): { to: string; search: never } {
  const [to = '/', query] = path.split('?')
  return { to, search: Object.fromEntries(new URLSearchParams(query)) as never }
}
