import './page.css'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { Icon, type IconName } from './icons'
import type { Tone } from './status'

type HeadProps = {
  title: ReactNode
  /** Name of the browser tab; by default the title, if that is text. */
  tab?: string
  /** The list that this page belongs to, as a path of the console. */
  parent?: { to: string; label: string; current: ReactNode }
  /** A line above the title. */
  over?: ReactNode
  /** A line below the title. */
  under?: ReactNode
  /** Beside the title, such as a status. */
  beside?: ReactNode
  actions?: ReactNode
}

export function PageHead({ title, tab, parent, over, under, beside, actions }: HeadProps) {
  const name = tab ?? (typeof title === 'string' ? title : 'Manilla')
  useEffect(() => {
    document.title = `${name} · Manilla`
  }, [name])
  return (
    <div className="page-head">
      <div>
        {parent && (
          <p className="breadcrumb">
            <Link to={parent.to}>{parent.label}</Link> / {parent.current}
          </p>
        )}
        {over && <p className="soft">{over}</p>}
        <div className="row wrap">
          <h1 tabIndex={-1}>{title}</h1>
          {beside}
        </div>
        {under && <p className="soft">{under}</p>}
      </div>
      {actions && <div className="actions">{actions}</div>}
    </div>
  )
}

type CardProps = {
  title?: ReactNode
  /** On the right of the title. */
  aside?: ReactNode
  children: ReactNode
  isPadded?: boolean
  /** Pads the content below the title, and puts it in columns or as a form. */
  layout?: 'form' | 'two-columns' | 'three-columns'
  className?: string
}

/** A section with a border. With a title, it has a head. */
export function Card({ title, aside, children, layout, ...props }: CardProps) {
  const { isPadded = false, className = '' } = props
  return (
    <section className={`card ${isPadded ? 'padded ' : ''}${className}`}>
      {title !== undefined && (
        <div className="card-head">
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      {layout ? <div className={`padded ${layout}`}>{children}</div> : children}
    </section>
  )
}

/** Names and values, one pair a line. Pairs without a value are left out. */
export function Facts({ children, isSmall }: { children: ReactNode; isSmall?: boolean }) {
  return <dl className={isSmall ? 'facts small end' : 'facts end'}>{children}</dl>
}

export function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  if (children === null || children === undefined || children === '' || children === false)
    return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

export function Tile({ icon, tone = 'calm' }: { icon: IconName; tone?: Tone }) {
  return (
    <span className={tone === 'calm' ? 'tile' : `tile ${tone}`}>
      <Icon name={icon} />
    </span>
  )
}

type ListItemProps = {
  icon?: IconName
  tone?: Tone
  title: ReactNode
  text?: ReactNode
  /** At the end of the line, such as a button. */
  children?: ReactNode
}

/** A line of a list: what it is, and below it what it means. */
export function ListItem({ icon, tone = 'calm', title, text, children }: ListItemProps) {
  return (
    <li>
      {icon && <Tile icon={icon} tone={tone} />}
      <div className="text">
        <p className="bold">{title}</p>
        {text && <p className="soft small">{text}</p>}
      </div>
      {children}
    </li>
  )
}

type NoteProps = { tone?: Tone; icon?: IconName; title?: ReactNode; children?: ReactNode }

/** A coloured box that says one thing. */
export function Note({ tone = 'warn', icon = 'alert', title, children }: NoteProps) {
  return (
    <div className={`note ${tone}`}>
      <Icon name={icon} />
      <div className="text">
        {title && <p className="bold">{title}</p>}
        {children}
      </div>
    </div>
  )
}

type EmptyProps = { icon: IconName; children: ReactNode; action?: ReactNode }

/** Nothing is here yet: one sentence and one action. */
export function EmptyState({ icon, children, action }: EmptyProps) {
  return (
    <div className="empty-state">
      <Tile icon={icon} />
      <p className="soft">{children}</p>
      {action}
    </div>
  )
}

/** A page that only says why it has no content. */
export function EmptyPage({ title, ...props }: EmptyProps & { title: string }) {
  return (
    <>
      <PageHead title={title} />
      <Card>
        <EmptyState {...props} />
      </Card>
    </>
  )
}

/** A placeholder of the final size. Appears after a moment, so that fast answers do not flicker. */
export function Skeleton({ height = 16, width }: { height?: number; width?: number | string }) {
  return <div className="skeleton" style={{ height, width: width ?? '100%' }} aria-hidden="true" />
}

export function SkeletonRows({ count = 6 }: { count?: number }) {
  return (
    <div className="list" aria-busy="true">
      {Array.from({ length: count }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <div key={at}>
          <Skeleton height={20} width="30%" />
          <Skeleton height={20} width="20%" />
          <Skeleton height={20} />
        </div>
      ))}
    </div>
  )
}
