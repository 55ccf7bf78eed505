package web

import (
	"net/http"
	"net/netip"
	"slices"

	"crossswe/schemas"
)

// SignIn tells who a request is from.
type SignIn interface {
	// User is the name of the person, as it stands in reviews. Where it is empty
	// refusal tells the person how to sign in.
	User(r *http.Request) (name, refusal string)
}

// Header is the sign-in by a proxy, which names the person in a header. Nobody
// else's header is believed. The proxy must remove that header from what comes
// to it.
type Header struct {
	Name    string
	Proxies []netip.Prefix
}

const (
	notOurProxy = "This server answers to its proxy only: open the proxy's address."
	noName      = "The proxy did not say who you are: sign in there."
	badName     = "The proxy gave a name that cannot stand in a review."
)

// User implements SignIn.
func (h Header) User(r *http.Request) (name, refusal string) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !h.believes(peer.Addr()) {
		return "", notOurProxy
	}
	names := r.Header.Values(h.Name)
	if len(names) != 1 || names[0] == "" { // of two, one may be the browser's
		return "", noName
	}
	if schemas.ValidReviewer(names[0]) != nil {
		return "", badName
	}
	return names[0], ""
}

func (h Header) believes(peer netip.Addr) bool {
	peer = peer.Unmap().WithZone("")
	return slices.ContainsFunc(h.Proxies, func(p netip.Prefix) bool { return p.Contains(peer) })
}
