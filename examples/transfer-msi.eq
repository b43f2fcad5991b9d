# y'' + a1*y' + a0*y = b2*z'' + b1*z' + b0*z by successive integration (MSI), at rest before t = 0.
# Veigend, PhD thesis (Brno 2023), sec. 2.6.3 and 2.6.4 (2.32); y equals that of transfer-mdorav.eq.
param a1 = 2, a0 = 3
param b2 = 8, b1 = 13, b0 = 1
param w  = sqrt(2)                        # of the free motion
input z = sin(t)

y   = b2*z + v2
v2' = b1*z - a1*y + v1
v1' = b0*z - a0*y

init v2 = 0, v1 = 0
output error = y - (1.5*sin(t) + 5*cos(t) + exp(-t)*(1.5/w*sin(w*t) - 5*cos(w*t)))
run 0 .. 10
