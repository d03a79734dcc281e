<?php

declare(strict_types=1);

namespace Manilla\Http;

/** Sends requests with curl. Connections stay open for the next request. */
final class CurlTransport implements Transport
{
    private ?\CurlMultiHandle $connections = null;

    public function send(Request $request): Response
    {
        // A stream that is read slowly must not be driven by the requests made meanwhile.
        $multi = $request->isStreamed ? curl_multi_init() : ($this->connections ??= curl_multi_init());
        $exchange = new Exchange($multi, $request);
        while (!$exchange->isAnswered()) {
            $exchange->advance();
        }
        return $exchange->response();
    }

    /** An open connection cannot be shared with a forked process or a stored session. */
    public function __serialize(): array
    {
        throw new \LogicException('A client of Manilla cannot be serialized. Create it where it is used.');
    }
}
