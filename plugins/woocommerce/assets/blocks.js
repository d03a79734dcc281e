// Registers the payment method in the checkout block. WordPress provides these globals, which all scripts
// of the page share.
;(() => {
  const { registerPaymentMethod } = window.wc.wcBlocksRegistry
  const { createElement } = window.wp.element
  const { decodeEntities } = window.wp.htmlEntities

  const settings = window.wc.wcSettings.getSetting('manilla_data', {})
  const title = decodeEntities(settings.title ?? '') || 'Manilla'
  const content = createElement('div', null, decodeEntities(settings.description ?? ''))

  registerPaymentMethod({
    name: 'manilla',
    label: createElement('span', null, title),
    ariaLabel: title,
    content,
    edit: content,
    canMakePayment: () => true,
    supports: { features: settings.supports ?? [] },
  })
})()
