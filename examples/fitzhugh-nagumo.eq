# A simple neuron: a current above threshold makes it fire again and again.
# FitzHugh, Biophys. J. 1 (1961) 445-466; Nagumo, Arimoto, Yoshizawa, Proc. IRE 50 (1962) 2061-2070.
param a = 0.7, b = 0.8, tau = 12.5
input I = 0.5*step(t - 20)

v' = v - v^3/3 - w + I
w' = (v + a - b*w)/tau

init v = -1.19940803524404, w = -0.624260044055055      # rest for I = 0
run 0 .. 200
