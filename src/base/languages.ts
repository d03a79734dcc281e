/** Languages of what customers of merchants read: pages and mails of invoices. */
export const languages = ['en', 'fr'] as const

export type Language = (typeof languages)[number]

const locales: Record<Language, string> = { en: 'en-GB', fr: 'fr-FR' }

const lagosFormats = (options: Intl.DateTimeFormatOptions) =>
  Object.fromEntries(
    languages.map((language) => [
      language,
      new Intl.DateTimeFormat(locales[language], { timeZone: 'Africa/Lagos', ...options }),
    ]),
  ) as Record<Language, Intl.DateTimeFormat>

const days = lagosFormats({ day: 'numeric', month: 'long' })
const dates = lagosFormats({ day: 'numeric', month: 'long', year: 'numeric' })

/** In French, the first day of a month is an ordinal. */
const withOrdinal = (text: string, language: Language) =>
  language === 'fr' ? text.replace(/^1(?=\s)/, '1er') : text

/** The day in Lagos, such as 1 December 2026, or 1er décembre 2026. */
export function formatLagosDate(language: Language, time: Date): string {
  return withOrdinal(dates[language].format(time), language)
}

/** The same without the year. */
export function formatLagosDay(language: Language, time: Date): string {
  return withOrdinal(days[language].format(time), language)
}
