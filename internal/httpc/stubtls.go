package httpc

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"

	"omniexpect/internal/fault"
)

// secure gives the server a certificate for the loopback names and writes what a client trusts it by to a file.
func (s *Server) secure(dir string) error {
	cert, err := loopbackCertificate(time.Now())
	if err != nil {
		return fault.New(fault.Env, "certificate of a stub server: %w", err)
	}
	s.http.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
	s.http.Protocols = new(http.Protocols)
	s.http.Protocols.SetHTTP1(true) // a connection of HTTP/2 cannot be reset by one answer
	f, err := os.CreateTemp(dir, "omniexpect-ca-*.pem")
	if err != nil {
		return fileFault("CA file in", dir, err)
	}
	err = pem.Encode(f, &pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(f.Name())
		return fileFault("CA file", f.Name(), err)
	}
	s.CAFile = f.Name()
	return nil
}

// loopbackCertificate signs itself, so that it is its own authority.
func loopbackCertificate(now time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "omniexpect stub server"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(30 * 24 * time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		DNSNames:              []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
