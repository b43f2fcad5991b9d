# y'' + a1*y' + a0*y = b2*z'' + b1*z' + b0*z as it stands, with an input that jumps: y jumps by b2 with it.
# Veigend, PhD thesis (Brno 2023), sec. 2.6.4 (2.32); the same coefficients as in transfer-mdorav.eq and transfer-msi.eq.
param a1 = 2, a0 = 3
param b2 = 8, b1 = 13, b0 = 1
input z = step(t - 1)

y'' + a1*y' + a0*y = b2*z'' + b1*z' + b0*z

init y = 0, y' = 0                                # just before the start
output same = laplace((b2*s^2 + b1*s + b0)/(s^2 + a1*s + a0), z)
run 0 .. 10
