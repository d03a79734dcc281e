import { createStore } from '../api/store'

export type Panel = 'palette' | 'keys'

/** The dialog of the frame that is open. */
export const openedPanel = createStore<Panel | null>(null)

/** What is typed into the palette, from the moment it is requested: its code may still load. */
export const paletteQuery = createStore('')
