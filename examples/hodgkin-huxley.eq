# The membrane of a squid axon, which fires while a current flows; mV, ms, uA/cm^2, mS/cm^2, uF/cm^2.
# Hodgkin, Huxley, J. Physiol. 117 (1952) 500-544, with the resting potential at -65 mV.
param C = 1, V0 = -65
param g_Na = 120, g_K = 36,  g_L = 0.3
param E_Na = 50,  E_K = -77, E_L = -54.4
input I = 10*pulse(t - 5, 40)

def alpha_m(V) = 0.1*(V + 40)/(1 - exp(-(V + 40)/10))
def beta_m(V)  = 4*exp(-(V + 65)/18)
def alpha_h(V) = 0.07*exp(-(V + 65)/20)
def beta_h(V)  = 1/(1 + exp(-(V + 35)/10))
def alpha_n(V) = 0.01*(V + 55)/(1 - exp(-(V + 55)/10))
def beta_n(V)  = 0.125*exp(-(V + 65)/80)

I_Na = g_Na*m^3*h*(V - E_Na)
I_K  = g_K*n^4*(V - E_K)
I_L  = g_L*(V - E_L)

C*V' = I - I_Na - I_K - I_L
m' = alpha_m(V)*(1 - m) - beta_m(V)*m
h' = alpha_h(V)*(1 - h) - beta_h(V)*h
n' = alpha_n(V)*(1 - n) - beta_n(V)*n

init V = V0
init m = alpha_m(V0)/(alpha_m(V0) + beta_m(V0))
init h = alpha_h(V0)/(alpha_h(V0) + beta_h(V0))
init n = alpha_n(V0)/(alpha_n(V0) + beta_n(V0))
run 0 .. 60
