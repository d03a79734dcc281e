export const phonePattern = '^\\+?\\d{7,15}$'

/** One `@`; no whitespace, control characters or characters that change the text direction. */
const emailPart = '[^\\s@\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]+'
export const emailPattern = `^${emailPart}@${emailPart}$`

/** No control characters: safe to store and to log. */
export const plainText = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'
