/**
 * Published versions of web/inline, newest last, with the integrity of each. Merchants pin both, so
 * a published file never changes: a fix is a new file and a new line.
 */
export const inlineVersions: Record<string, string> = {
  '1.0.0': 'sha384-cDbtHIfc5OF/zVYHxRsfuBkYh0ZZYTzTAOX5KhNq0L7x1WfgoX+lAtD8Cr+dCr19',
}

export const newestInline = Object.keys(inlineVersions).at(-1)!
