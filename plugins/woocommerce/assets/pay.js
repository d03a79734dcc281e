// Continues when the dialog has closed. What the dialog says decides only which page comes next: the
// shop's server asks Manilla before it calls an order paid.
document.addEventListener('manilla-result', ({ target, detail }) => {
  const { done, again } = target.dataset
  if (detail.status === 'paid') location.assign(done)
  else if (detail.status !== 'closed') location.assign(again)
})
