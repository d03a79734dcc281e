import { createStore } from '../api/store'

export type Panel = 'palette' | 'keys'

/** The dialog of the frame that is open. */
export const openedPanel = createStore<Panel | null>(null)
