# The Lorenz system near the equilibrium Q+, to which it returns slowly.
# Veigend, PhD thesis (Brno 2023), sec. 4.6 (4.56), (4.58).
param sigma = 10, rho = 23.7, beta = 8/3

x' = sigma*(y - x)
y' = rho*x - y - x*z
z' = x*y - beta*z

param q = sqrt(beta*(rho - 1))
init x = q, y = q + 2, z = rho - 1
run 0 .. 40
