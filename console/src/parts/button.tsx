import './button.css'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icons'
import { splitPath } from './split-path'

type Props = {
  children: ReactNode
  icon?: IconName
  kind?: 'plain' | 'primary' | 'danger' | 'danger-primary'
  size?: 'normal' | 'small' | 'big'
  /** Fills the row that it is in. */
  isWide?: boolean
  isDisabled?: boolean | undefined
  /** While the click is being carried out. */
  isBusy?: boolean | undefined
  /** A path of the console, such as `/payments?status=HELD`: makes it a link. */
  to?: string
  /** An address outside of the console: opens in a new tab. */
  href?: string
  type?: 'button' | 'submit'
  onClick?: (() => void) | undefined
  label?: string
}

const kinds = {
  plain: '',
  primary: ' primary',
  danger: ' danger',
  'danger-primary': ' danger primary',
}
const sizes = { normal: '', small: ' small', big: ' big' }

export function Button({ kind = 'plain', size = 'normal', icon, children, ...props }: Props) {
  const { isWide, isDisabled, isBusy, to, href, type = 'button', onClick, label } = props
  const className = `button${kinds[kind]}${sizes[size]}${isWide ? ' fills-row' : ''}`
  const content = (
    <>
      {icon && <Icon name={icon} size={16} />}
      {children}
    </>
  )
  if (to !== undefined)
    return (
      <Link className={className} {...splitPath(to)} aria-label={label}>
        {content}
      </Link>
    )
  if (href !== undefined)
    return (
      <a className={className} href={href} target="_blank" rel="noreferrer" aria-label={label}>
        {content}
      </a>
    )
  return (
    <button
      type={type}
      className={className}
      disabled={isDisabled}
      // Not disabled while busy: the focus would leave the dialog with it.
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy}
      aria-label={label}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {content}
    </button>
  )
}
