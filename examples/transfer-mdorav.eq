# y'' + a1*y' + a0*y = b2*z'' + b1*z' + b0*z with an additional variable v (MDORAV), at rest before t = 0.
# Veigend, PhD thesis (Brno 2023), sec. 2.6.2 and 2.6.4 (2.32).
param a1 = 2, a0 = 3
param b2 = 8, b1 = 13, b0 = 1
param w  = sqrt(2)                        # of the free motion
input z = sin(t)

v'' + a1*v' + a0*v = z
y = b2*v'' + b1*v' + b0*v

init v = 0, v' = 0
output error = y - (1.5*sin(t) + 5*cos(t) + exp(-t)*(1.5/w*sin(w*t) - 5*cos(w*t)))
run 0 .. 10
