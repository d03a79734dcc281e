/** Scrapes /metrics. Returns a list of name, labels (as text) and value. */
export async function readMetrics(url) {
  const text = await (await fetch(url)).text()
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(\{.*\})? (\S+)$/.exec(line) ?? []
    return name ? [{ name, labels, value: Number(value) }] : []
  })
}

/** The sum of a metric over all series whose labels have these texts. */
export function sumOf(metrics, name, ...labels) {
  return metrics
    .filter((one) => one.name === name && labels.every((label) => one.labels.includes(label)))
    .reduce((sum, { value }) => sum + value, 0)
}
