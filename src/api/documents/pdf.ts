import { readFileSync } from 'node:fs'
import type { Language } from '../../base/languages.js'
import { isSoundPng } from '../../merchants/settings/read-logo.js'
import type { Settings } from '../../merchants/settings/settings-document.js'
import { inColour, light } from '../checkout-page/brand.js'
import { checkoutTexts } from '../checkout-page/texts.js'

/** Noto Sans with the letters of Nigeria's languages and the naira sign. */
const fonts = {
  regular: readFont('NotoSans-Regular'),
  bold: readFont('NotoSans-SemiBold'),
}

function readFont(name: string): Buffer {
  return readFileSync(new URL(`./fonts/${name}.ttf`, import.meta.url))
}

/** Points from the edge of the page. */
const margin = 50
const logoSize = 44

type Pdf = PDFKit.PDFDocument

type Style = { size?: number; isBold?: boolean; colour?: keyof typeof light | 'brand' }

type Sender = {
  checkout: Pick<Settings['checkout'], 'displayName' | 'colour' | 'logo'>
  isTest: boolean
  language: Language
}

type Heading = {
  /** Such as "Invoice". */
  kind: string
  /** What identifies the document, at its head and on every page. */
  name: string
  title: string
  createdAt: Date
}

/** Draws one document from top to bottom, on as many pages as it needs. */
export class Paper {
  readonly #pdf: Pdf
  readonly #colours: typeof light
  readonly #heading: Heading

  private constructor(pdf: Pdf, colours: typeof light, heading: Heading) {
    this.#pdf = pdf
    this.#colours = colours
    this.#heading = heading
  }

  /** The library is loaded with the first document: most processes never draw one. */
  static async open({ checkout, isTest, language }: Sender, heading: Heading): Promise<Paper> {
    const { default: PdfDocument } = await import('pdfkit')
    const pdf = new PdfDocument({
      size: 'A4',
      margin,
      bufferPages: true,
      lang: language,
      displayTitle: true,
      info: {
        Title: heading.title,
        Author: checkout.displayName,
        CreationDate: heading.createdAt,
      },
      // The default would be a font without the naira sign.
      font: '',
    })
    pdf.registerFont('regular', fonts.regular)
    pdf.registerFont('bold', fonts.bold)
    const paper = new Paper(pdf, inColour(light, checkout.colour), heading)
    paper.#drawHead(checkout, isTest ? checkoutTexts[language].testBand : null)
    return paper
  }

  get #width(): number {
    return this.#pdf.page.width - 2 * margin
  }

  #style({ size = 10, isBold = false, colour = 'ink' }: Style): Pdf {
    const pdf = this.#pdf.font(isBold ? 'bold' : 'regular').fontSize(size)
    return pdf.fillColor(this.#colours[colour])
  }

  #drawHead({ displayName, logo }: Sender['checkout'], testBand: string | null): void {
    const pdf = this.#pdf
    pdf.rect(0, 0, pdf.page.width, 6).fill(this.#colours.brand)
    const picture = logo && readPicture(logo)
    const isDrawn = picture ? this.#drawLogo(picture) : false
    const left = margin + (isDrawn ? logoSize + 12 : 0)
    const half = this.#width / 2
    this.#style({ size: 13, isBold: true }).text(displayName, left, margin + 12, {
      width: half - (left - margin),
    })
    const belowName = pdf.y
    const right = { width: half, align: 'right' } as const
    const { kind, name } = this.#heading
    this.#style({ size: 20, isBold: true, colour: 'brand' }).text(
      kind,
      margin + half,
      margin,
      right,
    )
    this.#style({ colour: 'soft' }).text(name, right)
    pdf.x = margin
    pdf.y = Math.max(pdf.y, belowName, margin + logoSize) + 16
    if (testBand) this.text(testBand, { isBold: true, colour: 'warn' })
  }

  /** A picture that cannot be read is left out: the document matters more. */
  #drawLogo(picture: Buffer): boolean {
    try {
      this.#pdf.image(picture, margin, margin, { fit: [logoSize, logoSize] })
      return true
    } catch {
      return false
    }
  }

  space(points = 12): void {
    this.#pdf.y += points
  }

  /** Starts a new page if less than this fits on the current one. */
  #need(points: number): void {
    const pdf = this.#pdf
    if (pdf.y + points > pdf.page.height - margin - 20) pdf.addPage()
  }

  text(text: string, style: Style = {}): void {
    this.#style(style).text(text, margin, this.#pdf.y, { width: this.#width })
  }

  heading(text: string): void {
    this.space()
    // Never the last line of a page.
    this.#need(60)
    this.text(text, { isBold: true, size: 11 })
    this.space(4)
  }

  /** Written out, for those who print it. */
  link(url: string): void {
    this.#style({ colour: 'brand' }).text(url, margin, this.#pdf.y, {
      width: this.#width,
      link: url,
      underline: true,
    })
  }

  /** A line of a table: words, with a smaller line below them, and an amount at the right. */
  row(row: { label: string; details?: string; value: string; isBold?: boolean }): void {
    const { label, details, value, isBold = false } = row
    const pdf = this.#pdf
    const valueWidth = this.#width * 0.4
    const labelWidth = this.#width - valueWidth - 12
    this.#style({ isBold })
    const height = Math.max(
      pdf.heightOfString(label, { width: labelWidth }) + (details ? 13 : 0),
      pdf.heightOfString(value, { width: valueWidth }),
    )
    this.#need(height + 10)
    const top = pdf.y + 5
    this.#style({ isBold }).text(label, margin, top, { width: labelWidth })
    if (details) this.#style({ size: 8.5, colour: 'soft' }).text(details, { width: labelWidth })
    const below = pdf.y
    const align = { width: valueWidth, align: 'right' } as const
    this.#style({ isBold }).text(value, margin + this.#width - valueWidth, top, align)
    pdf.x = margin
    pdf.y = Math.max(below, pdf.y) + 5
    this.#rule()
  }

  #rule(): void {
    const pdf = this.#pdf
    pdf
      .moveTo(margin, pdf.y)
      .lineTo(margin + this.#width, pdf.y)
      .lineWidth(0.5)
      .strokeColor(this.#colours.line)
      .stroke()
  }

  /** The whole document, with the number of each page. */
  async finish(): Promise<Buffer> {
    const pdf = this.#pdf
    const { count } = pdf.bufferedPageRange()
    for (let index = 0; index < count; index += 1) {
      pdf.switchToPage(index)
      // Text below the margin would start a new page.
      pdf.page.margins.bottom = 0
      const words = `${this.#heading.name} · ${index + 1}/${count}`
      const below = pdf.page.height - margin + 10
      this.#style({ size: 8, colour: 'soft' }).text(words, margin, below, {
        width: this.#width,
        align: 'right',
        lineBreak: false,
      })
    }
    const parts: Buffer[] = []
    pdf.on('data', (part: Buffer) => parts.push(part))
    const ended = new Promise((resolve, reject) => pdf.on('end', resolve).on('error', reject))
    pdf.end()
    await ended
    return Buffer.concat(parts)
  }
}

/** PNG and JPEG: the library draws no others. Undefined for a PNG that it would fail on. */
function readPicture(logo: string): Buffer | undefined {
  const [, type, content] = /^data:image\/(png|jpeg);base64,(.*)$/s.exec(logo) ?? []
  if (!type || !content) return undefined
  const bytes = Buffer.from(content, 'base64')
  return type === 'jpeg' || isSoundPng(bytes) ? bytes : undefined
}
