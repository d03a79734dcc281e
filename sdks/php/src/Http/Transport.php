<?php

declare(strict_types=1);

namespace Manilla\Http;

/** Sends one request and reads its answer. Retries are none of its business. */
interface Transport
{
    /** @throws TransportFailure if there is no answer, or none in time */
    public function send(Request $request): Response;
}
