// The dialog reports what the payer's browser saw. Ask our own server, which asks Manilla.
document.addEventListener('manilla-result', async () => {
  const line = document.querySelector('[data-order]')
  line.textContent = 'Checking your payment …'
  const answer = await fetch(`/orders/${line.dataset.order}/status`)
  const { status } = await answer.json()
  line.textContent = status === 'paid' ? 'Paid' : 'Not paid yet'
  if (status !== 'pending') document.querySelector('manilla-button')?.remove()
})
