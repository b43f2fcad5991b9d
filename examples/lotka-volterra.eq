# Hares and lynxes: closed curves in the phase plane, one for each value of the invariant.
# Lotka, Elements of Physical Biology (1925); Volterra, Nature 118 (1926) 558-560.
param a = 1.1, b = 0.4                    # growth of hares, loss to lynxes
param c = 0.1, d = 0.4                    # growth of lynxes, their deaths

hare' =  a*hare - b*hare*lynx
lynx' =  c*hare*lynx - d*lynx

init hare = 10, lynx = 2
output invariant = c*hare - d*log(hare) + b*lynx - a*log(lynx)
run 0 .. 60
