import './progress-bar.css'

/** A part of a whole, from 0 to 1. The words beside it say the same. */
export function ProgressBar({ share }: { share: number }) {
  return (
    <div className="progress-bar" aria-hidden="true">
      <i style={{ width: `${share * 100}%` }} />
    </div>
  )
}
