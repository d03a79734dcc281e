import { signInLimits } from './limits.js'

type Owner = { email: string; name: string }

/**
 * Why a password is refused, as the end of a sentence that starts with "The password"; undefined if
 * it is good. Length is what counts, so there is no rule about digits or signs.
 */
export function judgePassword(password: string, owner: Owner): string | undefined {
  const { passwordLengthMin, passwordLengthMax } = signInLimits
  const length = [...password].length
  if (length < passwordLengthMin) return `needs at least ${passwordLengthMin} characters`
  if (length > passwordLengthMax) return `may have at most ${passwordLengthMax} characters`
  const plain = password.normalize('NFKC').toLowerCase()
  const part = partsOf(owner).find((namePart) => plain.includes(namePart))
  if (part !== undefined) return `must not contain your name or e-mail address ("${part}")`
  return isCommon(plain) ? 'is one of those that are guessed first' : undefined
}

/** Shorter parts, such as "ada", are in many words. */
const partLengthMin = 4

function partsOf({ email, name }: Owner): string[] {
  const [local = '', domain = ''] = email.toLowerCase().split('@')
  const words = [name.toLowerCase(), local].flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))
  return [email.toLowerCase(), ...words, domain.split('.')[0]!].filter(
    (part) => [...part].length >= partLengthMin,
  )
}

/**
 * Words that lists of leaked passwords begin with. With the rules below they stand for many
 * thousands of passwords of twelve characters and more.
 */
const commonWords = new Set(
  `password passwort passw0rd pass passwd secret secrets admin administrator root user username
  login signin welcome hello letmein letme master default changeme change temp temporary test tester
  testing guest demo sample example money bank banking payment payments payout manilla naira nigeria
  lagos abuja ibadan kano bitcoin crypto solana wallet cash dollar account accounts office company
  business computer internet server service system access security secure private monday tuesday
  wednesday thursday friday saturday sunday january february march april june july august september
  october november december spring summer autumn winter love iloveyou loveyou forever family friend
  friends mother father mummy daddy baby angel princess prince king queen jesus christ jesuschrist
  god godisgood blessed blessing favour grace faith praise glory heaven chelsea arsenal liverpool
  manchester united barcelona madrid football soccer basketball baseball hockey superman batman
  spiderman starwars pokemon dragon monkey tiger lion eagle shadow sunshine rainbow flower butterfly
  chocolate cookie cheese pepper banana orange purple yellow black white green freedom whatever
  nothing trustno trustnoone number one two three four five six seven eight nine ten zero abc abcd
  abcdef qwerty qwertz azerty asdf asdfgh zxcvbn qazwsx xyz the my is and for you your me we our new
  old good best first last super mega ultra big this that correct horse battery staple`.split(
    /\s+/,
  ),
)

/** Neighbours on a keyboard or in the alphabet. */
const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'qazwsxedcrfvtgbyhnujm',
]
const runs = [...rows, ...rows.map((row) => [...row].reverse().join(''))]

const letterOf: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '@': 'a',
  $: 's',
  '!': 'i',
  '+': 't',
}

function isCommon(plain: string): boolean {
  const isMonotonous = new Set(plain).size < 5
  const period = (plain + plain).indexOf(plain, 1)
  const isRepeated = period < plain.length && period < 6
  if (isMonotonous || isRepeated) return true
  return weigh(plain) < signInLimits.passwordWeightMin
}

/**
 * How many things have to be guessed: a common word, a year, a run of neighbours and a repeated
 * sign count once each, as does every other sign. Gaps between words do not count.
 */
function weigh(given: string): number {
  const text = given.replace(/[\s._-]/g, '')
  const spelled = text.replace(/[0134578@$!+]/g, (sign) => letterOf[sign] ?? sign)
  let weight = 0
  let at = 0
  while (at < text.length) {
    const length = Math.max(lengthOfKnown(text, at), lengthOfKnown(spelled, at))
    weight += 1
    at += Math.max(length, 1)
  }
  return weight
}

function lengthOfKnown(text: string, at: number): number {
  const rest = text.slice(at)
  const year = /^(19|20)\d\d/.exec(rest)?.[0].length ?? 0
  const same = /^(.)\1+/u.exec(rest)?.[0].length ?? 0
  return Math.max(year, same, longestRun(rest), longestWord(rest))
}

function longestWord(rest: string): number {
  for (let length = Math.min(rest.length, wordLengthMax); length > 1; length -= 1)
    if (commonWords.has(rest.slice(0, length))) return length
  return 0
}

const wordLengthMax = Math.max(...[...commonWords].map((word) => word.length))

function longestRun(rest: string): number {
  for (let length = Math.min(rest.length, 28); length >= 3; length -= 1)
    if (runs.some((run) => run.includes(rest.slice(0, length)))) return length
  return 0
}
