const { writeFileSync } = require('node:fs')
const flows = require('@medusajs/medusa/core-flows')
const { ContainerRegistrationKeys, Modules } = require('@medusajs/framework/utils')

/** A shop that sells one product in naira, ships it, and takes payments by Manilla. */
module.exports.default = async function seed({ container }) {
  const run = async (workflow, input) => (await workflow(container).run({ input })).result
  const link = container.resolve(ContainerRegistrationKeys.LINK)
  const fulfillment = container.resolve(Modules.FULFILLMENT)

  const [channel] = await run(flows.createSalesChannelsWorkflow, {
    salesChannelsData: [{ name: 'Shop' }],
  })
  const [key] = await run(flows.createApiKeysWorkflow, {
    api_keys: [{ title: 'Shop', type: 'publishable', created_by: '' }],
  })
  await run(flows.linkSalesChannelsToApiKeyWorkflow, { id: key.id, add: [channel.id] })
  const [store] = await container.resolve(Modules.STORE).listStores()
  await run(flows.updateStoresWorkflow, {
    selector: { id: store.id },
    update: {
      supported_currencies: [{ currency_code: 'ngn', is_default: true }],
      default_sales_channel_id: channel.id,
    },
  })
  const [region] = await run(flows.createRegionsWorkflow, {
    regions: [
      {
        name: 'Nigeria',
        currency_code: 'ngn',
        countries: ['ng'],
        payment_providers: ['pp_manilla_manilla'],
      },
    ],
  })
  const [location] = await run(flows.createStockLocationsWorkflow, {
    locations: [{ name: 'Lagos', address: { city: 'Lagos', country_code: 'NG', address_1: '' } }],
  })
  await run(flows.linkSalesChannelsToStockLocationWorkflow, {
    id: location.id,
    add: [channel.id],
  })
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: location.id },
    [Modules.FULFILLMENT]: { fulfillment_provider_id: 'manual_manual' },
  })
  const [profile] = await run(flows.createShippingProfilesWorkflow, {
    data: [{ name: 'Default', type: 'default' }],
  })
  const set = await fulfillment.createFulfillmentSets({
    name: 'Lagos delivery',
    type: 'shipping',
    service_zones: [{ name: 'Nigeria', geo_zones: [{ country_code: 'ng', type: 'country' }] }],
  })
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: location.id },
    [Modules.FULFILLMENT]: { fulfillment_set_id: set.id },
  })
  const [option] = await run(flows.createShippingOptionsWorkflow, [
    {
      name: 'Courier',
      price_type: 'flat',
      provider_id: 'manual_manual',
      service_zone_id: set.service_zones[0].id,
      shipping_profile_id: profile.id,
      type: { label: 'Courier', description: 'Next day', code: 'courier' },
      prices: [{ currency_code: 'ngn', amount: 1500.25 }],
      rules: [
        { attribute: 'enabled_in_store', value: 'true', operator: 'eq' },
        { attribute: 'is_return', value: 'false', operator: 'eq' },
      ],
    },
  ])
  const [product] = await run(flows.createProductsWorkflow, {
    products: [
      {
        title: 'Agege bread',
        status: 'published',
        shipping_profile_id: profile.id,
        options: [{ title: 'Size', values: ['Loaf'] }],
        variants: [
          {
            title: 'Loaf',
            sku: 'bread',
            manage_inventory: false,
            options: { Size: 'Loaf' },
            prices: [{ currency_code: 'ngn', amount: 1200.5 }],
          },
        ],
        sales_channels: [{ id: channel.id }],
      },
    ],
  })
  const made = {
    key: key.token,
    region: region.id,
    option: option.id,
    variant: product.variants[0].id,
  }
  writeFileSync(process.env.SEEDED, JSON.stringify(made))
}
