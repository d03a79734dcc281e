/** Labels by value; or values, which are their own labels unless `labels` has others. */
export type OptionList<Value extends string> = Record<Value, string> | readonly Value[]

export function toOptions<Value extends string>(
  options: OptionList<Value>,
  labels?: Record<Value, string>,
): { value: Value; label: string }[] {
  const values = (Array.isArray(options) ? options : Object.keys(options)) as Value[]
  const names = labels ?? (options as Partial<Record<Value, string>>)
  return values.map((value) => ({ value, label: names[value] ?? value }))
}
