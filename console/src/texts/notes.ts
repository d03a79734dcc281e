/** Words of the notes of a team. */
export const noteTexts = {
  title: 'Notes',
  empty: 'No notes yet.',
  write: 'Add a note',
  hint: 'Your team reads it, the customer does not.',
  add: 'Add note',
  withdraw: 'Withdraw',
  withdrawTitle: 'Withdraw this note?',
  withdrawText: 'Its text is deleted. A line remains that says that you wrote and withdrew it.',
  withdrawn: 'Withdrawn',
}
