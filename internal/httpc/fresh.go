package httpc

import "fmt"

// Fresh returns a client with the same options and connections and no cookies.
func (c *Client) Fresh() *Client {
	fresh := *c
	fresh.jar = newJar()
	return &fresh
}

// Key tells options that make connections of different kinds apart: TLS, proxy, socket.
func (o Options) Key() string {
	return fmt.Sprintf("%v %q %q %q %q %v %q", o.Insecure, o.CAFile, o.CertFile, o.KeyFile, o.Proxy, o.NoProxy, o.Socket)
}
