package httpc

// Fresh returns a client with the same options and connections and no cookies.
func (c *Client) Fresh() *Client {
	fresh := *c
	fresh.jar = &jar{clock: c.opts.Clock}
	return &fresh
}

// Key differs between options that make connections of different kinds.
type Key struct {
	insecure, noProxy                        bool
	caFile, certFile, keyFile, proxy, socket string
}

// Key returns the options' kind: TLS, proxy, socket.
func (o Options) Key() Key {
	return Key{o.Insecure, o.NoProxy, o.CAFile, o.CertFile, o.KeyFile, o.Proxy, o.Socket}
}
