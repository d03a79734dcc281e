<?php

declare(strict_types=1);

namespace Manilla;

use Manilla\Http\CurlTransport;
use Manilla\Http\Transport;
use Manilla\Internal\Client;
use Manilla\Internal\Connection;

/**
 * A client of your Manilla service.
 *
 *     $manilla = new Manilla(getenv('MANILLA_KEY'), baseUrl: 'https://pay.example.com');
 *     $account = $manilla->virtualAccounts->create(merchantReference: 'order-1001', amount: 500_000);
 *
 * The key decides the mode: `sk_test_…` or `sk_live_…`. Printing the client never shows the key.
 */
final class Manilla extends Resources
{
    /**
     * @param string|false|null $key the secret key; takes what `getenv()` returns
     * @param string $baseUrl URL of your Manilla service, such as `https://pay.example.com`
     * @param int $timeoutMs timeout of each attempt
     * @param int $maxRetries number of retries; 0 means one attempt only
     * @param Transport|null $transport sends the requests, for a proxy or for tests; curl by default
     */
    public function __construct(
        #[\SensitiveParameter] string|false|null $key,
        string $baseUrl,
        int $timeoutMs = 30_000,
        int $maxRetries = 3,
        ?Transport $transport = null,
    ) {
        $transport ??= new CurlTransport();
        $connection = new Connection($key, $baseUrl, $timeoutMs, $maxRetries, $transport);
        parent::__construct(new Client($connection));
    }
}
